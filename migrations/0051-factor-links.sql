-- Links that allow a browser to enrol a factor, and the 'não fui eu' of a new one.
alter table email_links drop constraint email_links_purpose_check;
alter table email_links add constraint email_links_purpose_check check (
  purpose in (
    'signup', 'signup-used', 'recovery', 'disown-account', 'disown-change', 'invitation', 'factor', 'disown-factor'
  )
  and (purpose = 'invitation') = (invitation_id is not null)
  and (user_id is null) = (invitation_id is not null));
