-- Chains of hashes over the trail, one for each class of retention: 'audit' over audit_entries, 'access' over
-- access_records. One sealer appends committed rows, in the order in which it finds them. The chain's row is also the lock
-- between sealer, retention and deletions.
create table trail_chains (
  chain text primary key,
  -- The newest seal; 0 before the first one.
  position bigint not null default 0,
  hash bytea not null default decode(repeat('00', 32), 'hex'),
  -- The newest seal that retention removed.
  checkpoint_position bigint not null default 0,
  checkpoint_hash bytea not null default decode(repeat('00', 32), 'hex')
);
insert into trail_chains (chain) values ('audit'), ('access');

create table trail_seals (
  chain text not null,
  position bigint not null,
  -- 'entry' for a row, 'erasure' once more for one from which a deletion took names.
  kind text not null check (kind in ('entry', 'erasure')),
  entry_id bigint not null,
  at timestamptz not null,
  action text not null,
  sealed_at timestamptz not null,
  -- Without its salt, the commitment to the other fields tells nothing about them.
  salt bytea,
  commitment bytea not null,
  hash bytea not null,
  primary key (chain, position)
);
create index trail_seals_entry on trail_seals (chain, entry_id);

-- Entries from which names were taken since they were sealed: the sealer seals them once more.
create table trail_erasures (
  chain text not null,
  entry_id bigint not null,
  primary key (chain, entry_id)
);

-- How far each receiver outside has got, in each chain.
create table trail_cursors (
  receiver text not null,
  chain text not null,
  position bigint not null,
  -- The end of the batch under way, so that a retry sends the same rows under the same id.
  sending_to bigint,
  failures integer not null default 0,
  due_at timestamptz,
  failed_at timestamptz,
  last_error text,
  primary key (receiver, chain)
);

-- Who holds a claim that is renewed. 0.2 claims without it.
alter table job_claims add column holder uuid;

-- Only a deletion changes a row, and it takes names out: the salt goes with them, also when 0.2 does it.
create function erase_trail_salts() returns trigger language plpgsql as $$
begin
  if not exists (select from changed) then
    return null;
  end if;
  -- The sealer's transaction has either ended, and its seals are seen, or begins after this one.
  perform from trail_chains where chain = tg_argv[0] for share;
  update trail_seals set salt = null from changed
    where trail_seals.chain = tg_argv[0] and entry_id = changed.id and salt is not null;
  insert into trail_erasures (chain, entry_id)
    select distinct tg_argv[0], entry_id from trail_seals join changed on entry_id = changed.id
    where chain = tg_argv[0]
    on conflict do nothing;
  return null;
end
$$;
create trigger audit_entries_salts after update on audit_entries referencing new table as changed
  for each statement execute function erase_trail_salts('audit');
create trigger access_records_salts after update on access_records referencing new table as changed
  for each statement execute function erase_trail_salts('access');

-- Retention removes a prefix of a chain, once sealing has begun. It waits 30 days for a receiver that was at work within
-- the last day.
create function delete_old_trail(of_chain text, until timestamptz, batch integer) returns integer language plpgsql as $$
declare
  head trail_chains;
  received bigint;
  kept bigint;
  last_removed bigint;
  removed bigint[];
begin
  select * into head from trail_chains where chain = of_chain for update;
  if head.position = 0 then
    removed := case of_chain
      when 'audit' then array(select id from audit_entries where at <= until limit batch for update skip locked)
      else array(select id from access_records where at <= until limit batch for update skip locked)
    end;
    last_removed := 0;
  else
    select min(c.position) into received from trail_cursors c
      join job_claims j on j.name = 'trail-' || c.receiver and j.claimed_until > now() - interval '1 day'
      where c.chain = of_chain;
    select min(position) filter (where at > until
        or (position > received and at > until - interval '30 days')), max(position)
      into kept, last_removed
      from (select position, at from trail_seals where chain = of_chain order by position limit batch) as oldest;
    last_removed := coalesce(kept - 1, last_removed);
    if last_removed is null or last_removed <= head.checkpoint_position then
      return 0;
    end if;
    select array_agg(entry_id) into removed from trail_seals
      where chain = of_chain and position <= last_removed and kind = 'entry';
    removed := coalesce(removed, '{}');
    -- A deletion that holds one of them waits for this transaction: it goes first.
    begin
      perform from audit_entries where of_chain = 'audit' and id = any(removed) for update nowait;
      perform from access_records where of_chain = 'access' and id = any(removed) for update nowait;
    exception when lock_not_available then
      return 0;
    end;
    update trail_chains set checkpoint_position = last_removed,
      checkpoint_hash = (select hash from trail_seals where chain = of_chain and position = last_removed)
      where chain = of_chain;
  end if;
  perform set_config('patio.retention', 'on', true);
  if of_chain = 'audit' then
    delete from audit_entries where id = any(removed);
  else
    delete from access_records where id = any(removed);
  end if;
  perform set_config('patio.retention', 'off', true);
  delete from trail_erasures where chain = of_chain and entry_id = any(removed);
  delete from trail_seals where chain = of_chain and position <= last_removed;
  return case when last_removed = 0 then cardinality(removed) else last_removed - head.checkpoint_position end;
end
$$;

create or replace function delete_old_audit_entries(until timestamptz, batch integer) returns integer language sql
  return delete_old_trail('audit', until, batch);

-- 0.2 deletes access records out of order: from sealed ones it is kept, and its retention logs that it failed.
create function guard_sealed_access() returns trigger language plpgsql as $$
begin
  if current_setting('patio.retention', true) is distinct from 'on'
    and exists (select from trail_seals where chain = 'access' and entry_id = old.id) then
    raise exception 'access_records: sealed rows go by delete_old_trail()' using errcode = 'insufficient_privilege';
  end if;
  return old;
end
$$;
create trigger access_records_guard before delete on access_records
  for each row execute function guard_sealed_access();
