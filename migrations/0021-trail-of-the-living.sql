-- The guard of 0014 took every id and address for a name that may go, in any row. Now only those of people who are gone
-- may, for an id that is nobody's; a full name may only be taken out; and what reports and the catalogue were set to,
-- which are ids too, stays.

-- The ids and e-mails in a change, in the order in which they stand, as without_names() sees them.
create function names_in(change jsonb) returns text[] language sql immutable parallel safe
  return array(
    select found.match[1] from regexp_matches(
      regexp_replace(
        (case when jsonb_typeof(change) = 'object' then change - 'full_name' else coalesce(change, 'null') end)::text,
        '\\(u[0-9a-f]{4}|.)', ' ', 'g'),
      '[^\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"''<>()[\],;:|]+@[^\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"''<>()[\],;:|]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
      'gi') with ordinality as found(match, place)
    order by found.place);

create function lets_names_go(was jsonb, became jsonb, is_somebody_gone boolean) returns boolean language sql stable
  return without_names(became) = without_names(was)
    and ((became -> 'full_name') is not distinct from (was -> 'full_name')
      or (is_somebody_gone and not coalesce(became ? 'full_name', false)))
    and cardinality(names_in(became)) = cardinality(names_in(was))
    and not exists (
      select from unnest(names_in(was), names_in(became)) as name(old, new)
      where name.old <> name.new and (
        name.new like '%@%'
        or exists (select from profiles where user_id = case when name.new not like '%@%' then name.new::uuid end)
        or exists (select from profiles where email = lower(name.old))
        or exists (select from profiles where user_id = case when name.old not like '%@%' then name.old::uuid end)));

create or replace function guard_audit_entries() returns trigger language plpgsql as $$
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
      and ((new.before, new.after) is not distinct from (old.before, old.after)
        or (old.action !~ '^(report-setting|catalogue)-'
          and lets_names_go(old.before, new.before, is_actor_gone or is_target_gone)
          and lets_names_go(old.after, new.after, is_actor_gone or is_target_gone)))
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
