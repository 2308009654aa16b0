-- Sessions that end and report settings that change are noted too. 0.2 passes over kinds that it does not know, unless
-- the subject is null: the zero id stands for many or all.
alter table changes
  drop constraint changes_kind_check,
  add constraint changes_kind_check check (kind in ('message', 'person', 'session', 'settings'));

create function note_session_end() returns trigger language plpgsql as $$
begin
  -- Those of a deleted person are not named; the deletion itself is noted.
  insert into changes (kind, subject_id)
    select distinct 'session', case when count(*) over () > 200 then '00000000-0000-0000-0000-000000000000' else id end
    from before_it where user_id in (select user_id from profiles);
  if found then
    perform pg_notify('changes', '');
  end if;
  return null;
end $$;
create trigger sessions_ended after delete on sessions
  referencing old table as before_it for each statement execute function note_session_end();

create function note_settings_change() returns trigger language plpgsql as $$
begin
  insert into changes (kind, subject_id) values ('settings', '00000000-0000-0000-0000-000000000000');
  perform pg_notify('changes', '');
  return null;
end $$;
create trigger global_powerbi_settings_changed after insert or update or delete on global_powerbi_settings
  for each statement execute function note_settings_change();
create trigger further_reports_changed after insert or update or delete on further_reports
  for each statement execute function note_settings_change();
