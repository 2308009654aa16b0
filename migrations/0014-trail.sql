-- Passwords that were refused: how often an hour, for each account or, where there is none, a short hash of the address.
create table failed_sign_ins (
  id bigint generated always as identity primary key,
  hour timestamptz not null,
  -- The account's id, or 'unknown' and four digits of the address's hash: so many rows an hour at most.
  subject text not null,
  user_id uuid references profiles (user_id) on delete cascade,
  outcome text not null,
  attempts integer not null,
  -- The first twenty that were seen.
  ips text[] not null,
  last_at timestamptz not null,
  unique (hour, subject, outcome)
);
create index failed_sign_ins_user on failed_sign_ins (user_id);

-- The audit trail takes new entries and no change of old ones but two. Names of people who have no account any more
-- may be taken out; that is told by the row alone, so the deletion of the version before goes on working beside this.
-- Entries go by the function below, which that version does not know: its retention logs that it failed, and this
-- version's deletes the same entries.

-- What stands in a change beside a person's name, e-mails and ids; the blanks are those of the server's language, and nothing is null.
create function without_names(change jsonb) returns text language sql immutable parallel safe
  return regexp_replace(
    regexp_replace(
      (case when jsonb_typeof(change) = 'object' then change - 'full_name' else coalesce(change, 'null') end)::text,
      '\\(u[0-9a-f]{4}|.)', ' ', 'g'),
    '[^\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"''<>()[\],;:|]+@[^\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"''<>()[\],;:|]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}',
    '', 'gi');

create function guard_audit_entries() returns trigger language plpgsql as $$
declare
  is_actor_gone boolean;
  is_target_gone boolean;
begin
  if tg_op = 'DELETE' then
    if current_setting('patio.retention', true) = 'on' then
      return old;
    end if;
  elsif tg_op = 'UPDATE' then
    is_actor_gone := old.actor_id is not null and not exists (select from profiles where user_id = old.actor_id);
    is_target_gone := old.target_id is not null and not exists (select from profiles where user_id = old.target_id);
    if (new.id, new.at, new.action, new.request_id, new.batch_id)
        is not distinct from (old.id, old.at, old.action, old.request_id, old.batch_id)
      and without_names(new.before) = without_names(old.before)
      and without_names(new.after) = without_names(old.after)
      and ((new.actor_id, new.actor_email) is not distinct from (old.actor_id, old.actor_email)
        or (is_actor_gone and new.actor_email is null
          and not exists (select from profiles where user_id = new.actor_id)))
      and ((new.target_id, new.target_email) is not distinct from (old.target_id, old.target_email)
        or (is_target_gone and new.target_email is null
          and not exists (select from profiles where user_id = new.target_id)))
      and ((new.ip, new.user_agent) is not distinct from (old.ip, old.user_agent)
        or (new.ip is null and new.user_agent is null
          and (is_actor_gone or (old.actor_id is null and is_target_gone))))
    then
      return new;
    end if;
  end if;
  raise exception 'audit_entries takes no %', lower(tg_op) using errcode = 'insufficient_privilege';
end
$$;

create trigger audit_entries_guard before update or delete on audit_entries
  for each row execute function guard_audit_entries();
create trigger audit_entries_guard_all before truncate on audit_entries
  for each statement execute function guard_audit_entries();

-- Whoever is no superuser may not hang a setting on a function.
create function delete_old_audit_entries(until timestamptz, batch integer) returns integer language plpgsql as $$
declare
  deleted integer;
begin
  perform set_config('patio.retention', 'on', true);
  delete from audit_entries where id in (
    select id from audit_entries where at <= until limit batch for update skip locked);
  get diagnostics deleted = row_count;
  perform set_config('patio.retention', 'off', true);
  return deleted;
end
$$;
