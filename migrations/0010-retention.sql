-- What replicas take turns at: whoever claims a job first does it, until the claim runs out.
create table job_claims (
  name text primary key,
  claimed_until timestamptz not null
);

-- The retention job looks for old rows by these.
create index email_links_expires_at on email_links (expires_at);
create index mail_outbox_created_at on mail_outbox (created_at);
create index support_messages_created_at on support_messages (created_at);
create index access_records_at on access_records (at);
create index audit_entries_at on audit_entries (at);
create index profiles_untouched on profiles (created_at)
  where email_verified_at is null and not approved and entitlement_version = 1;
