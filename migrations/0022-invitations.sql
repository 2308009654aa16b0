-- Whom administrators have invited and who has not answered. What stands here is nobody's until the mailed link is used.
create table invitations (
  id uuid primary key default gen_random_uuid(),
  email text not null unique,
  full_name text,
  types text[] not null default '{}',
  marcas text[] not null default '{}',
  estados text[] not null default '{}',
  invited_by uuid references profiles (user_id) on delete set null,
  -- When the newest mail was asked for.
  invited_at timestamptz not null default now()
);
create index invitations_invited_at on invitations (invited_at, id);
create index invitations_invited_by on invitations (invited_by);

-- The link of an invitation belongs to no account: there may be none yet.
alter table email_links
  alter column user_id drop not null,
  add column invitation_id uuid references invitations (id) on delete cascade;
create index email_links_invitation_id on email_links (invitation_id);
alter table email_links drop constraint email_links_purpose_check;
alter table email_links add constraint email_links_purpose_check check (
  purpose in ('signup', 'signup-used', 'recovery', 'disown-account', 'disown-change', 'invitation')
  and (purpose = 'invitation') = (invitation_id is not null)
  and (user_id is null) = (invitation_id is not null));
