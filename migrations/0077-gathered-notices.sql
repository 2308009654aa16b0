-- How often it happened: security notices beyond five a day of a kind are gathered for an hour.
alter table mail_outbox add column times integer not null default 1;
create index mail_outbox_recipient on mail_outbox (recipient, created_at);
