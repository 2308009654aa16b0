-- Open invitations can be changed: `version` tells what an administrator has seen.
alter table invitations
  add column valid_until date,
  add column version integer not null default 0;
