-- Second factors: a TOTP secret, sealed with SESSION_SECRET, or a passkey.
create table factors (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references profiles (user_id) on delete cascade,
  factor_type text not null check (factor_type in ('totp', 'webauthn')),
  friendly_name text not null,
  created_at timestamptz not null,
  -- Null until its first right code or answer: it protects nothing before.
  verified_at timestamptz,
  last_used_at timestamptz,
  secret bytea,
  -- Of TOTP: the last accepted time step, and one that was announced by a clock that is ahead.
  last_step bigint,
  refused_step bigint,
  credential_id text unique,
  public_key bytea,
  counter bigint,
  transports text[],
  check ((factor_type = 'totp') = (secret is not null)),
  check (factor_type = 'totp' or verified_at is null or public_key is not null)
);
create index factors_user_id on factors (user_id);
-- Hashes of random codes of 80 bits; one set a person.
create table recovery_codes (
  code_hash bytea primary key,
  user_id uuid not null references profiles (user_id) on delete cascade,
  set_id uuid not null,
  created_at timestamptz not null,
  used_at timestamptz
);
create index recovery_codes_user_id on recovery_codes (user_id);
-- Since when a second factor is required of a person, and whether the next one needs a mailed link.
create table factor_settings (
  user_id uuid primary key references profiles (user_id) on delete cascade,
  required_since timestamptz,
  needs_link boolean not null default false
);
-- Of the kind aal1 only the second step is open; kind_after_factor is what it becomes. 0.2 refuses the kind.
alter table sessions
  drop constraint sessions_kind_check,
  add constraint sessions_kind_check check (kind in ('full', 'recovery', 'forcedChange', 'aal1'));
-- aal and renewed_at (equal to refreshed_at) are always written: a recent session that lacks them is of 0.2.
alter table sessions
  add column aal text check (aal in ('aal1', 'aal2')),
  add column amr jsonb,
  add column kind_after_factor text check (kind_after_factor in ('full', 'forcedChange')),
  add column renewed_at timestamptz,
  -- The browser, if the account knew it before the session, and when a mailed link allowed it to enrol.
  add column known_device uuid,
  add column enrolment_allowed_at timestamptz;

-- No version opens the portal to a person with a factor who has not shown it.
create function require_second_factor() returns trigger language plpgsql as $$
begin
  if new.kind in ('full', 'forcedChange') and new.aal is distinct from 'aal2'
    and exists (select from factors where user_id = new.user_id and verified_at is not null) then
    raise exception 'this person has a second factor' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger sessions_second_factor before insert or update of kind, aal on sessions
  for each row execute function require_second_factor();
