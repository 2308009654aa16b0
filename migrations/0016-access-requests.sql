-- What somebody who waits for approval asks for. The name that comes with it stands in the profile.
create table access_requests (
  user_id uuid primary key references profiles (user_id) on delete cascade,
  workplace text,
  types text[] not null default '{}',
  marcas text[] not null default '{}',
  estados text[] not null default '{}',
  note text,
  requested_at timestamptz not null default now()
);
create index access_requests_requested_at on access_requests (requested_at);

-- Whose approval was taken away waits for none, until a request is made.
alter table profiles add column approval_removed_at timestamptz;
update profiles p set approval_removed_at = last.at
from (
  select distinct on (target_id) target_id, action, at from audit_entries
  where action in ('approval-given', 'approval-removed') order by target_id, id desc
) last
where last.target_id = p.user_id and last.action = 'approval-removed' and not p.approved;

-- Administrators follow people as they follow messages: one table holds the changes of both. Version 0.1 goes on
-- reading and trimming those of the messages under the old name, and is woken by the old notification.
alter table support_message_changes rename to changes;
alter table changes rename column message_id to subject_id;
alter table changes
  -- Null when too many have changed to be named.
  alter column subject_id drop not null,
  add column kind text not null default 'message' check (kind in ('message', 'person'));
create view support_message_changes as
  select id, subject_id as message_id, xid, at from changes where kind = 'message';

create or replace function note_support_message_change() returns trigger language plpgsql as $$
begin
  insert into changes (kind, subject_id) values ('message', coalesce(new.id, old.id));
  -- They leave with the commit and wake the followers, who read the rows.
  perform pg_notify('changes', '');
  perform pg_notify('support_messages', '');
  return null;
end $$;

-- Notes whose profile, role or request has come, gone or changed, once for each statement. When somebody signs in,
-- nothing has changed.
create function note_person_change() returns trigger language plpgsql as $$
declare
  ids uuid[];
begin
  if tg_op = 'DELETE' and tg_table_name = 'profiles' then
    select array_agg(user_id) into ids from before_it;
    -- Nothing names whoever has been deleted, here neither.
    delete from changes where kind = 'person' and subject_id = any(ids);
    ids := case when ids is not null then array[null]::uuid[] end;
  elsif tg_op = 'DELETE' then
    select array_agg(user_id) into ids from before_it where user_id in (select user_id from profiles);
  elsif tg_op = 'INSERT' or tg_table_name <> 'profiles' then
    select array_agg(user_id) into ids from after_it;
  else
    select array_agg(n.user_id) into ids from after_it n join before_it o on o.user_id = n.user_id
    where (n.email, n.full_name, n.approved, n.email_verified_at, n.types, n.marcas, n.estados)
      is distinct from (o.email, o.full_name, o.approved, o.email_verified_at, o.types, o.marcas, o.estados);
  end if;
  if ids is not null then
    insert into changes (kind, subject_id)
      select 'person', unnest(case when cardinality(ids) > 200 then array[null]::uuid[] else ids end);
    perform pg_notify('changes', '');
  end if;
  return null;
end $$;

create trigger profiles_arrived after insert on profiles
  referencing new table as after_it for each statement execute function note_person_change();
create trigger profiles_changed after update on profiles
  referencing old table as before_it new table as after_it for each statement execute function note_person_change();
create trigger profiles_left after delete on profiles
  referencing old table as before_it for each statement execute function note_person_change();
create trigger user_roles_arrived after insert on user_roles
  referencing new table as after_it for each statement execute function note_person_change();
create trigger user_roles_changed after update on user_roles
  referencing old table as before_it new table as after_it for each statement execute function note_person_change();
create trigger user_roles_left after delete on user_roles
  referencing old table as before_it for each statement execute function note_person_change();
create trigger access_requests_arrived after insert on access_requests
  referencing new table as after_it for each statement execute function note_person_change();
create trigger access_requests_changed after update on access_requests
  referencing old table as before_it new table as after_it for each statement execute function note_person_change();
create trigger access_requests_left after delete on access_requests
  referencing old table as before_it for each statement execute function note_person_change();
