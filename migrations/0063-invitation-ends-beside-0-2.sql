-- 0.2 accepts an invitation without its last day: the database applies it.
create function keep_invitation_end() returns trigger language plpgsql as $$
begin
  perform set_config('patio.invitation_end', old.valid_until::text, true);
  return null;
end $$;
create trigger invitations_keep_end after delete on invitations
  for each row when (old.valid_until is not null) execute function keep_invitation_end();

create function apply_invitation_end() returns trigger language plpgsql as $$
declare
  last_day date := coalesce(
    (select valid_until from invitations where email = new.target_email),
    nullif(current_setting('patio.invitation_end', true), '')::date);
begin
  update profiles set valid_until = last_day
  where user_id = new.target_id and valid_until is null and last_day is not null;
  return null;
end $$;
create trigger audit_entries_apply_invitation_end after insert on audit_entries
  for each row when (new.action = 'invitation-accepted' and new.after ->> 'valid_until' is null)
  execute function apply_invitation_end();
