-- Renamed areas are looked for at each undo and removal; without it the whole trail is read.
create index audit_entries_catalogue on audit_entries (action, id)
  where action in ('catalogue-item-added', 'catalogue-item-changed');
