-- Notices that administrators write. `types` are labels of areas, null for everyone.
create table notices (
  id uuid primary key default gen_random_uuid(),
  text text not null,
  severity text not null check (severity in ('info', 'warning', 'problem')),
  types text[],
  starts_at timestamptz,
  ends_at timestamptz,
  on_login boolean not null default false,
  is_draft boolean not null default true,
  version integer not null default 1,
  updated_at timestamptz not null,
  -- Set until the deletion can no longer be undone.
  deleted_at timestamptz
);
-- 0.2 passes over this kind.
create trigger notices_changed after insert or update or delete on notices
  for each statement execute function note_settings_change();

create table closed_notices (
  user_id uuid not null references profiles (user_id) on delete cascade,
  notice_id uuid not null references notices (id) on delete cascade,
  closed_at timestamptz not null,
  primary key (user_id, notice_id)
);
create index closed_notices_notice on closed_notices (notice_id);

create function note_closed_notice() returns trigger language plpgsql as $$
begin
  -- By their own kind, administrators would read the list of people again.
  insert into changes (kind, subject_id) select distinct 'session', user_id from after_it;
  perform pg_notify('changes', '');
  return null;
end $$;
create trigger notices_closed after insert on closed_notices
  referencing new table as after_it for each statement execute function note_closed_notice();

-- As changes of their own kind: nothing names whoever has been deleted.
create function forget_closed_notices() returns trigger language plpgsql as $$
begin
  delete from changes where kind = 'session' and subject_id in (select user_id from before_it);
  return null;
end $$;
create trigger profiles_forgotten after delete on profiles
  referencing old table as before_it for each statement execute function forget_closed_notices();
