-- Passwords that people had before the one in passwords; the five newest of each are kept.
create table password_history (
  id bigint generated always as identity primary key,
  user_id uuid not null references profiles (user_id) on delete cascade,
  hash text not null,
  changed_at timestamptz not null
);
create index password_history_user_id on password_history (user_id, id);

-- Mails also carry links that say 'this was not me': of a new account, and of a change to one.
alter table email_links drop constraint email_links_purpose_check;
alter table email_links add constraint email_links_purpose_check
  check (purpose in ('signup', 'recovery', 'disown-account', 'disown-change'));

-- One digest waits for each administrator; once it is taken for sending, the next may be queued.
create unique index mail_outbox_waiting_digest on mail_outbox (recipient)
  where kind = 'waiting-digest' and attempts = 0 and sent_at is null;
