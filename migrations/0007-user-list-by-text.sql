-- The list is read in pages by each of its columns, either way; equals follow by e-mail, and nulls come last.
create index profiles_by_email on profiles (email collate "und-x-icu");
create index profiles_by_name on profiles (full_name collate "und-x-icu", email collate "und-x-icu");
create index profiles_by_name_down on profiles (full_name collate "und-x-icu" desc, email collate "und-x-icu");
create index profiles_without_name on profiles (email collate "und-x-icu") where full_name is null;
create index profiles_by_approval on profiles (approved, email collate "und-x-icu");
-- Who waits hardly ever holds an entitlement yet.
create index profiles_pending_entitled on profiles (email collate "und-x-icu") where not approved and is_entitled;
