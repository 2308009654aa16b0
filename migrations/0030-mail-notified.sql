-- Wakes the outbox of every replica when mails have been queued; it leaves with the commit.
create function notify_mail_outbox() returns trigger language plpgsql as $$
begin
  perform pg_notify('mail_outbox', '');
  return null;
end $$;

create trigger mail_outbox_notified after insert on mail_outbox
  for each statement execute function notify_mail_outbox();
