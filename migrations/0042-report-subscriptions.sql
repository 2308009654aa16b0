-- Reports that people receive by mail on a schedule, by area (slug) and report. Each run is a row of jobs.
create table report_subscriptions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references profiles (user_id) on delete cascade,
  type text not null,
  report_id text not null,
  -- No foreign key: a deleted view must fail, not become the whole report.
  view_id uuid,
  format text not null check (format in ('pdf', 'pptx')),
  every text not null check (every in ('day', 'week', 'month')),
  weekday smallint check (weekday between 1 and 7),
  day smallint check (day between 1 and 31),
  hour smallint not null check (hour between 0 and 23),
  -- Null while it is stopped.
  next_run_at timestamptz,
  last_sent_at timestamptz,
  -- Why the last run failed, for the person.
  failure text,
  failed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((every = 'week') = (weekday is not null) and (every = 'month') = (day is not null))
);
create index report_subscriptions_user on report_subscriptions (user_id);
create index report_subscriptions_next_run_at on report_subscriptions (next_run_at);
