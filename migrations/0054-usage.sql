-- Who came, and who opened which report, in each day, ISO week and month of São Paulo that is not over: distinct people are
-- counted when it closes, and these rows are deleted. A deleted person keeps a pseudonym, as in the access records.
create table usage_open (
  id bigint generated always as identity primary key,
  period text not null check (period in ('day', 'week', 'month')),
  starts_on date not null,
  user_id uuid not null,
  -- The id of the report's setting; null for coming to the portal.
  report_id uuid,
  openings integer not null default 0,
  unique nulls not distinct (period, starts_on, user_id, report_id)
);
create index usage_open_user on usage_open (user_id);

-- The sums of closed periods, which name nobody.
create table usage_sums (
  id bigint generated always as identity primary key,
  period text not null check (period in ('day', 'week', 'month')),
  starts_on date not null,
  kind text not null check (kind in ('all', 'report', 'area', 'marca', 'estado')),
  code text not null,
  -- The title of a report, which may be removed later.
  label text,
  people integer not null,
  openings integer not null,
  unique (period, starts_on, kind, code)
);
create index usage_sums_starts_on on usage_sums (starts_on);

-- How long the first report of a page took, in steps of a logarithmic scale; -1 are reports that did not open.
create table usage_timings (
  id bigint generated always as identity primary key,
  day date not null,
  report_id uuid not null,
  step smallint not null,
  count integer not null,
  unique (day, report_id, step)
);

-- The administrators who want the monthly mail.
create table usage_mails (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique references profiles (user_id) on delete cascade,
  created_at timestamptz not null default now()
);
