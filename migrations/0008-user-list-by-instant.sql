-- The rest of 0007: the columns that hold instants.
create index profiles_by_verification on profiles (email_verified_at, email collate "und-x-icu");
create index profiles_by_verification_down on profiles (email_verified_at desc, email collate "und-x-icu");
create index profiles_unverified on profiles (email collate "und-x-icu") where email_verified_at is null;
create index profiles_by_registration on profiles (created_at, email collate "und-x-icu");
create index profiles_by_registration_down on profiles (created_at desc, email collate "und-x-icu");
create index profiles_by_last_access on profiles (last_sign_in_at, email collate "und-x-icu");
create index profiles_by_last_access_down on profiles (last_sign_in_at desc, email collate "und-x-icu");
create index profiles_never_seen on profiles (email collate "und-x-icu") where last_sign_in_at is null;
-- Who waits or has not verified the address has hardly ever signed in: the few are found without the many.
create index profiles_pending_by_last_access on profiles (last_sign_in_at, email collate "und-x-icu")
  where not approved and last_sign_in_at is not null;
create index profiles_unverified_by_last_access on profiles (last_sign_in_at, email collate "und-x-icu")
  where email_verified_at is null and last_sign_in_at is not null;
create index profiles_unverified_by_approval on profiles (approved, email collate "und-x-icu")
  where email_verified_at is null;
