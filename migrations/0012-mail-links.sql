-- What of the sign-ups of an account that is not verified yet decides whether its password may stay.
create table sign_ups (
  user_id uuid primary key references profiles (user_id) on delete cascade,
  count integer not null,
  -- Of the mark that the browser keeps which signed up; none where there was more than one sign-up.
  mark_hash bytea,
  mark_expires_at timestamptz not null
);

-- A verification link that was used is remembered until it expires: pressing it again is no error.
alter table email_links drop constraint email_links_purpose_check;
alter table email_links add constraint email_links_purpose_check
  check (purpose in ('signup', 'signup-used', 'recovery', 'disown-account', 'disown-change'));
