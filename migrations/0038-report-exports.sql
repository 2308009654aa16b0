-- Work for a person that outlives its request: exports now, scheduled mails later. A replica leases a row for one step at
-- a time and extends the lease while it works; after a crash the lease expires, and another replica goes on. The
-- version before this one has its own table of mails and does not know this one.
create table jobs (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  user_id uuid not null references profiles (user_id) on delete cascade,
  -- 'running' counts against the limits, between its steps too.
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
  input jsonb not null,
  -- Large input, which goes when the job ends.
  payload text,
  -- What the steps so far have brought.
  progress jsonb not null default '{}',
  -- Why it failed, for the person.
  detail text,
  failures integer not null default 0,
  created_at timestamptz not null,
  due_at timestamptz not null,
  lease uuid,
  leased_until timestamptz,
  finished_at timestamptz
);
create index jobs_due_at on jobs (due_at) where status in ('queued', 'running');
create index jobs_user on jobs (user_id, created_at);
create index jobs_finished_at on jobs (finished_at);

-- Whether people may export the reports of an area.
alter table global_powerbi_settings add column exports boolean not null default true;
