-- Further reports of an area (slug). Its row of global_powerbi_settings stays the first one, which 0.2 shows alone.
-- Removed ones stay for a day, so that a removal can be undone.
create table further_reports (
  id uuid primary key default gen_random_uuid(),
  type text not null,
  name text not null check (char_length(name) between 1 and 60),
  position integer not null,
  embed_mode text not null check (embed_mode in ('secure_sso', 'service_principal')),
  report_url text,
  workspace_id text,
  report_id text,
  dataset_id text,
  exports boolean not null default true,
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index further_reports_type on further_reports (type);
create index further_reports_deleted on further_reports (deleted_at) where deleted_at is not null;
