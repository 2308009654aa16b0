-- Everyone who has an account. The address is kept in lower case, so that one person has one row.
create table profiles (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique default gen_random_uuid(),
  email text not null unique check (email = lower(email)),
  full_name text,
  approved boolean not null default false,
  email_verified_at timestamptz,
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz,
  types text[] not null default '{}',
  marcas text[] not null default '{}',
  estados text[] not null default '{}',
  -- Goes up with every change of approval or entitlements; caches carry it in their key.
  entitlement_version integer not null default 1
);

create function raise_entitlement_version() returns trigger language plpgsql as $$
begin
  new.entitlement_version := old.entitlement_version + 1;
  return new;
end $$;

create trigger profiles_entitlement_version
  before update on profiles for each row
  when ((old.approved, old.types, old.marcas, old.estados)
    is distinct from (new.approved, new.types, new.marcas, new.estados))
  execute function raise_entitlement_version();

create table passwords (
  user_id uuid primary key references profiles (user_id) on delete cascade,
  hash text not null,
  changed_at timestamptz not null default now()
);

create table user_roles (
  user_id uuid primary key references profiles (user_id) on delete cascade,
  role text not null check (role in ('admin', 'user'))
);

create table sessions (
  id uuid primary key,
  user_id uuid not null references profiles (user_id) on delete cascade,
  kind text not null check (kind in ('full', 'recovery', 'forcedChange')),
  -- Encrypted with a secret of the configuration: refresh tokens are derived from it, never stored.
  refresh_key bytea not null,
  refresh_counter integer not null default 0,
  -- The counter last seen in an access token: proves that its refresh reply arrived.
  acknowledged_counter integer not null default 0,
  created_at timestamptz not null,
  refreshed_at timestamptz not null
);
create index sessions_user_id on sessions (user_id);
create index sessions_refreshed_at on sessions (refreshed_at);

-- Links mailed to people; only a hash is stored, so that a copy of the database opens nothing.
create table email_links (
  token_hash bytea primary key,
  user_id uuid not null references profiles (user_id) on delete cascade,
  purpose text not null check (purpose in ('signup', 'recovery')),
  expires_at timestamptz not null
);
create index email_links_user_id on email_links (user_id);

create table rate_limits (
  key text primary key,
  taken integer not null,
  resets_at timestamptz not null
);
create index rate_limits_resets_at on rate_limits (resets_at);

create table sign_in_attempts (
  key text primary key,
  failures integer not null,
  locked_until timestamptz not null,
  forget_at timestamptz not null
);
create index sign_in_attempts_forget_at on sign_in_attempts (forget_at);

-- Answers and passes of the human check serve once.
create table used_human_checks (
  id text primary key,
  expires_at timestamptz not null
);
create index used_human_checks_expires_at on used_human_checks (expires_at);

create table global_powerbi_settings (
  id uuid primary key default gen_random_uuid(),
  type text not null unique,
  embed_mode text not null check (embed_mode in ('secure_sso', 'service_principal')),
  report_url text,
  workspace_id text,
  report_id text,
  dataset_id text,
  updated_at timestamptz not null default now()
);

create table support_messages (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  email text not null,
  phone text not null,
  message text not null,
  is_read boolean not null default false,
  created_at timestamptz not null default now()
);
create index support_messages_unread on support_messages (id) where not is_read;

-- Who changed what, and what the portal had to do on its own. Outlives the people named in it.
create table audit_entries (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor_id uuid,
  actor_email text,
  action text not null,
  target_id uuid,
  target_email text,
  before jsonb,
  after jsonb,
  ip text,
  user_agent text,
  request_id text
);
create index audit_entries_target on audit_entries (target_id, at);

-- Who signed in and who was given which report.
create table access_records (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  user_id uuid not null,
  action text not null,
  report_id text,
  ip text,
  user_agent text,
  request_id text
);
create index access_records_user on access_records (user_id, at);

create table mail_outbox (
  id uuid primary key default gen_random_uuid(),
  -- Also the stable Message-ID of every attempt to send it.
  kind text not null,
  recipient text not null,
  created_at timestamptz not null default now(),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  sent_at timestamptz
);
create index mail_outbox_due on mail_outbox (due_at) where sent_at is null;

-- Facts about this database, such as that it is a demo.
create table portal_facts (
  name text primary key,
  value text not null
);
