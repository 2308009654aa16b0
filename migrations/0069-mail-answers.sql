-- What the mail server last said of a mail, without addresses, when, and whom a refusal concerns; null before. 0.2 leaves them null.
alter table mail_outbox
  add column answer text,
  add column answered_at timestamptz,
  add column blame text;
