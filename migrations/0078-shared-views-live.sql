-- What a view shows, so that pages know whether it was overwritten.
alter table report_views add column state_hash text not null generated always as (md5(state)) stored;

-- Who has opened a shared view hears when it ends, is renamed or overwritten. 0.2 passes over this kind.
create function note_shared_view_change() returns trigger language plpgsql as $$
begin
  insert into changes (kind, subject_id)
    select 'session', user_id from opened_report_views where view_id = new.id;
  if found then
    perform pg_notify('changes', '');
  end if;
  return null;
end $$;
create trigger report_views_shared_changed after update on report_views
  for each row when (old.shared or new.shared) execute function note_shared_view_change();

-- And when its owner's access ends or comes back.
create function note_view_owner_change() returns trigger language plpgsql as $$
begin
  insert into changes (kind, subject_id)
    select distinct 'session',
      case when count(*) over () > 200 then '00000000-0000-0000-0000-000000000000' else o.user_id end
    from (
      select user_id, approved, valid_until, types from before_it
      except
      select user_id, approved, valid_until, types from after_it
    ) as changed
    join report_views v on v.user_id = changed.user_id and v.shared
    join opened_report_views o on o.view_id = v.id;
  if found then
    perform pg_notify('changes', '');
  end if;
  return null;
end $$;
create trigger profiles_view_owner_changed after update on profiles
  referencing old table as before_it new table as after_it
  for each statement execute function note_view_owner_change();
