-- Who dealt with a message last, by marking it as read or by answering it. Null by whom: who did has been deleted.
alter table support_messages
  add column handled_by uuid references profiles (user_id) on delete set null,
  add column handled_at timestamptz,
  add column answered boolean not null default false;
create index support_messages_handled_by on support_messages (handled_by) where handled_by is not null;
