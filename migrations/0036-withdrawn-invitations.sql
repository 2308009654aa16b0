-- An invitation ends with the rights of its sender, and stays to be sent again by another administrator.
alter table invitations add column withdrawn_at timestamptz;
update invitations i set withdrawn_at = now()
where not exists (select from user_roles r where r.user_id = i.invited_by and r.role = 'admin');
delete from email_links where invitation_id in (select id from invitations where withdrawn_at is not null);
