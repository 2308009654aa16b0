-- Also where 0.2, which knows no invitations, demotes or deletes their sender.
create function withdraw_invitations() returns trigger language plpgsql as $$
begin
  update invitations set withdrawn_at = clock_timestamp() where invited_by = old.user_id and withdrawn_at is null;
  delete from email_links where invitation_id in
    (select id from invitations where invited_by = old.user_id and withdrawn_at is not null);
  return old;
end $$;
create trigger user_roles_withdraw_invitations after update of role on user_roles
  for each row when (old.role = 'admin' and new.role <> 'admin') execute function withdraw_invitations();
-- Before: afterwards the invitations do not name their sender any more.
create trigger profiles_withdraw_invitations before delete on profiles
  for each row execute function withdraw_invitations();
