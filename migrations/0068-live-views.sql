-- Saved views that change, or are added to or taken off a person's list, reach that person's open pages.
create function note_view_change() returns trigger language plpgsql as $$
begin
  -- By their own kind, administrators would read the list of people again.
  insert into changes (kind, subject_id)
    select 'session', user_id from profiles where user_id = coalesce(new.user_id, old.user_id);
  perform pg_notify('changes', '');
  return null;
end $$;
create trigger report_views_changed after insert or update on report_views
  for each row execute function note_view_change();
create trigger opened_report_views_changed after insert or delete on opened_report_views
  for each row execute function note_view_change();
