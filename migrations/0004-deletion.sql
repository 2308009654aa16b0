-- Whether what an audit entry holds has the look of an address or of an id in it: few do, and when a person is
-- deleted those are looked through.
create function names_somebody(before jsonb, after jsonb) returns boolean language sql immutable parallel safe
  return coalesce(before::text, '') || coalesce(after::text, '') ~ '@|[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-';

create index audit_entries_naming on audit_entries (id) where names_somebody(before, after);
