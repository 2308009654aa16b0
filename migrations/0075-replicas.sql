-- Every replica's view, refreshed every ten seconds, so that all of them give one answer about the whole.
create table replicas (
  id uuid primary key,
  host text not null,
  version text not null,
  -- How far its machine's clock is ahead of the database's.
  clock_ahead_ms integer not null,
  -- By service, what it last saw: {"mail": {"isGood": true, "since": "…", "at": "…"}}.
  services jsonb not null,
  seen_at timestamptz not null default now()
);
