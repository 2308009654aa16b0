-- 0021 took an apostrophe for the end of an address. Now the trail changes by whole values only: an
-- id or address of a deleted person becomes an id that is nobody's. A deletion by 0.2 is accepted,
-- but what it replaced inside another value ("avila@" in "d'avila@") is kept.

create function names_profile(name text) returns boolean language sql stable
  return exists (select from profiles where email = lower(name))
    or exists (select from profiles
      where user_id = case when name ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then name::uuid end);

-- What stood there, with the pseudonyms of what is to stand there.
create function keep_values(was jsonb, became jsonb, is_somebody_gone boolean) returns jsonb language sql stable as $$
  select case
    when was is not distinct from became then was
    when jsonb_typeof(was) = 'object' then (
      select coalesce(jsonb_object_agg(key, keep_values(value, became -> key, is_somebody_gone)), '{}')
      from jsonb_each(was)
      where key <> 'full_name' or became ? key or not is_somebody_gone)
    when jsonb_typeof(was) = 'array' then (
      select coalesce(jsonb_agg(keep_values(value, became -> (place::int - 1), is_somebody_gone) order by place), '[]')
      from jsonb_array_elements(was) with ordinality as item(value, place))
    when was #>> '{}' ~* '^([^@\s]+@[^@\s]+|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$'
      and became #>> '{}' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      and not names_profile(was #>> '{}') and not names_profile(became #>> '{}') then became
    else was
  end
$$;

create or replace function guard_audit_entries() returns trigger language plpgsql as $$
declare
  is_actor_gone boolean;
  is_target_gone boolean;
  is_somebody_gone boolean;
  kept_before jsonb;
  kept_after jsonb;
begin
  if tg_op = 'DELETE' then
    if current_setting('patio.retention', true) = 'on' then
      return old;
    end if;
  elsif tg_op = 'UPDATE' then
    is_actor_gone := old.actor_id is not null and not exists (select from profiles where user_id = old.actor_id);
    is_target_gone := old.target_id is not null and not exists (select from profiles where user_id = old.target_id);
    is_somebody_gone := is_actor_gone or is_target_gone;
    kept_before := keep_values(old.before, new.before, is_somebody_gone);
    kept_after := keep_values(old.after, new.after, is_somebody_gone);
    if (new.id, new.at, new.action, new.request_id, new.batch_id)
        is not distinct from (old.id, old.at, old.action, old.request_id, old.batch_id)
      and ((new.before, new.after) is not distinct from (old.before, old.after)
        or (old.action !~ '^(report-setting|catalogue)-'
          and ((new.before, new.after) is not distinct from (kept_before, kept_after)
            -- 0.2 and 0.1
            or (lets_names_go(old.before, new.before, is_somebody_gone)
              and lets_names_go(old.after, new.after, is_somebody_gone)))))
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
      new.before := kept_before;
      new.after := kept_after;
      return new;
    end if;
  end if;
  raise exception 'audit_entries takes no %', lower(tg_op) using errcode = 'insufficient_privilege';
end
$$;
