-- Saved views of reports, by area (slug) and report. Deleted ones stay for a day, so that a deletion can be undone.
create table report_views (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references profiles (user_id) on delete cascade,
  type text not null,
  report_id text not null,
  name text not null check (char_length(name) between 1 and 60),
  -- A bookmark of Power BI, base64.
  state text not null check (octet_length(state) <= 262144),
  is_default boolean not null default false,
  shared boolean not null default false,
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index report_views_user on report_views (user_id);
create unique index report_views_default on report_views (user_id, type, report_id)
  where is_default and deleted_at is null;
create index report_views_deleted on report_views (deleted_at) where deleted_at is not null;

-- Who has opened whose shared view ('Compartilhadas comigo').
create table opened_report_views (
  user_id uuid not null references profiles (user_id) on delete cascade,
  view_id uuid not null references report_views (id) on delete cascade,
  opened_at timestamptz not null,
  primary key (user_id, view_id)
);
create index opened_report_views_view on opened_report_views (view_id);
