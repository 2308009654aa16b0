-- The page and the report's bookmark that a report opens with; outside what is specified, so 0.2 leaves both null.
alter table global_powerbi_settings add column page_name text, add column bookmark_name text;
alter table further_reports add column page_name text, add column bookmark_name text;
-- They are of one report: 0.2, which does not know them, may choose another meanwhile.
create function forget_report_opening() returns trigger language plpgsql as $$
begin
  new.page_name := null;
  new.bookmark_name := null;
  return new;
end $$;
create trigger global_powerbi_settings_opening before update on global_powerbi_settings
  for each row when (old.report_id is distinct from new.report_id) execute function forget_report_opening();
create trigger further_reports_opening before update on further_reports
  for each row when (old.report_id is distinct from new.report_id) execute function forget_report_opening();
