-- What a mail and its link are about: a factor, which they do not outlive.
alter table mail_outbox add column about uuid;
alter table email_links add column factor_id uuid references factors (id) on delete cascade;
create index email_links_factor_id on email_links (factor_id);

-- When its owner last reset the password by a mailed link, or disowned a factor.
alter table factor_settings add column recovered_at timestamptz;
