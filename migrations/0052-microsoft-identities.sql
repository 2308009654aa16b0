-- Microsoft accounts of people, keyed by tenant and object id: addresses change. One a person.
create table identities (
  tenant_id text not null,
  object_id text not null,
  user_id uuid not null unique references profiles (user_id) on delete cascade,
  -- The directory's address at the last sign-in; it opens nothing.
  email text not null,
  linked_at timestamptz not null,
  last_used_at timestamptz not null,
  -- Of the last complete claim, with its day; null until there was one.
  groups text[],
  groups_at timestamptz,
  -- Sealed with SESSION_SECRET; null where the directory gave none, or no longer takes it.
  refresh_token bytea,
  asked_at timestamptz,
  primary key (tenant_id, object_id)
);
-- States of sign-ins that came back, so that none comes twice, and what the directory said, until it is used.
create table microsoft_sign_ins (
  state_hash bytea primary key,
  expires_at timestamptz not null,
  token_hash bytea,
  mark_hash bytea,
  -- For whom a mailed link is awaited or was sent.
  email text,
  answer bytea
);
create index microsoft_sign_ins_token_hash on microsoft_sign_ins (token_hash);
create index microsoft_sign_ins_email on microsoft_sign_ins (email);
-- The end of a session that Microsoft opened; null for all others, and unknown to 0.2.
alter table sessions add column ends_at timestamptz;
