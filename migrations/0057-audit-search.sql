-- 'Auditoria' reads the trail by time, person, actor, action or area, newest first.
create function get_audit_areas(before jsonb, after jsonb) returns text[] language sql immutable parallel safe
  return array(
    select area from (
      select jsonb_array_elements_text(
        case when jsonb_typeof(before -> 'types') = 'array' then before -> 'types' else '[]' end) as area, 1 as side
      union
      select jsonb_array_elements_text(
        case when jsonb_typeof(after -> 'types') = 'array' then after -> 'types' else '[]' end), 2
    ) as listed group by area having count(*) = 1
    union select before ->> 'type' where before ->> 'type' is not null
    union select after ->> 'type' where after ->> 'type' is not null
    union select before ->> 'label' where before ->> 'kind' = 'types' and before ->> 'label' is not null
    union select after ->> 'label' where after ->> 'kind' = 'types' and after ->> 'label' is not null);

create index audit_entries_target_at on audit_entries (target_id, at);
create index audit_entries_actor_at on audit_entries (actor_id, at);
create index audit_entries_action_at on audit_entries (action, at);
create index audit_entries_areas on audit_entries using gin (get_audit_areas(before, after));
create index access_records_report_at on access_records (report_id, at);
