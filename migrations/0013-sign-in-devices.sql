-- Browsers that have signed in to an account with its password: strangers cannot lock them out, and a new one is told by
-- mail. A browser holds its id in a signed token.
create table sign_in_devices (
  id uuid primary key,
  user_id uuid not null references profiles (user_id) on delete cascade,
  created_at timestamptz not null,
  seen_at timestamptz not null
);
create index sign_in_devices_user_id on sign_in_devices (user_id, seen_at);
create index sign_in_devices_seen_at on sign_in_devices (seen_at);
