-- The newest audit entry when a mail to all administrators was queued: what it is about comes after it. 0.2 leaves it null.
alter table mail_outbox add column after_entry bigint;
