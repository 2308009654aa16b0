-- What the search of the inbox looks in, kept ready: folding ten thousand messages for each key that is pressed takes too long.
alter table support_messages add column search_text text not null
  generated always as (fold_text(name || E'\n' || email || E'\n' || phone || E'\n' || message)) stored;

create index support_messages_newest on support_messages (created_at desc, id desc);

-- A row for each change of a message, for those who follow them. They may commit out of order, so each says
-- which transaction wrote it.
create table support_message_changes (
  id bigint generated always as identity primary key,
  message_id uuid not null,
  xid xid8 not null default pg_current_xact_id(),
  at timestamptz not null default now()
);
create index support_message_changes_xid on support_message_changes (xid);
create index support_message_changes_at on support_message_changes (at);

create function note_support_message_change() returns trigger language plpgsql as $$
begin
  insert into support_message_changes (message_id) values (coalesce(new.id, old.id));
  -- Leaves with the commit; it wakes the followers, who read the rows.
  perform pg_notify('support_messages', '');
  return null;
end $$;

create trigger support_messages_change
  after insert or update or delete on support_messages for each row
  execute function note_support_message_change();

-- As for waiting-digest: one waits for each administrator.
create unique index mail_outbox_message_digest on mail_outbox (recipient)
  where kind = 'message-digest' and attempts = 0 and sent_at is null;
