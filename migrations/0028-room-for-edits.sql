-- A bulk edit was to touch no index of the people, see 0005; but it raises the version, which the condition of one index
-- held, so that it touched all of them. And room for a fifth of the rows is no room for an edit of all: now every row of a
-- page has room for its next version. Pages that are full get theirs with their next edit.
drop index profiles_untouched;
create index profiles_untouched on profiles (created_at) where email_verified_at is null and not approved;
alter table profiles set (fillfactor = 45);

-- By person and instant nothing is looked for that audit_entries_target_newest does not find.
drop index audit_entries_target;
