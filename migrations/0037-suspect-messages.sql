-- Messages of the contact form with a filled honeypot, in a table that 0.2 does not list or count.
create table suspect_messages (like support_messages including all);

-- A deletion by 0.2 must reach them too.
create function delete_suspect_messages() returns trigger language plpgsql as $$
begin
  delete from suspect_messages using before_it where lower(suspect_messages.email) = before_it.email;
  return null;
end $$;

create trigger profiles_suspect_messages after delete on profiles
  referencing old table as before_it for each statement execute function delete_suspect_messages();
