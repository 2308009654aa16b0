-- One bulk edit leaves an entry for each person; all of them carry its id.
alter table audit_entries add column batch_id uuid;
create index audit_entries_batch on audit_entries (batch_id, id) where batch_id is not null;
create index audit_entries_target_newest on audit_entries (target_id, id);
create index audit_entries_actor on audit_entries (actor_id, id);
