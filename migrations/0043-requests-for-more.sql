-- Approved people ask for more access. 0.2 shows no request of an approved person, and deletes it with the approval.
alter table access_requests
  -- False for what is left of a request from before the approval.
  add column for_more boolean not null default false,
  -- The edit that granted it, which can be undone.
  add column granted_by uuid,
  add column refused_at timestamptz,
  add column refusal text;

-- The trail keeps the reasons of requests and refusals until the person is deleted, by 0.2 too.
create function drop_request_reasons() returns trigger language plpgsql as $$
begin
  new.before := new.before - 'reason';
  new.after := new.after - 'reason';
  return new;
end $$;
-- Its name sorts after audit_entries_guard, which accepts the deletion first.
create trigger audit_entries_request_reasons before update of target_id on audit_entries
  for each row when (old.target_id is distinct from new.target_id and old.action in ('access-granted', 'access-refused'))
  execute function drop_request_reasons();
