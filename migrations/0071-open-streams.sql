-- Streams of changes that people have open, over all replicas. `seen_at` goes up each minute; the rows of a replica
-- that crashed do not.
create table open_streams (
  id uuid primary key,
  number bigint generated always as identity,
  user_id uuid not null references profiles (user_id) on delete cascade,
  seen_at timestamptz not null
);
create index open_streams_user on open_streams (user_id);
