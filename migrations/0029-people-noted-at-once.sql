-- As in 0024, but that everybody is not compared with everybody: how was decided once for each connection, often by the
-- one person who signed in on it first, and thousands were compared in the same way later.
create or replace function note_person_change() returns trigger language plpgsql as $$
declare
  ids uuid[];
begin
  if tg_op = 'DELETE' and tg_table_name = 'profiles' then
    select array_agg(user_id) into ids from before_it;
    -- Nothing names whoever has been deleted, here neither.
    delete from changes where kind = 'person' and subject_id = any(ids);
    ids := case when ids is not null then array[null]::uuid[] end;
  elsif tg_op = 'DELETE' then
    select array_agg(user_id) into ids from before_it where user_id in (select user_id from profiles);
  elsif tg_op = 'INSERT' or tg_table_name <> 'profiles' then
    select array_agg(user_id) into ids from after_it;
  else
    select array_agg(user_id) into ids from (
      select user_id, email, full_name, approved, valid_until, email_verified_at, types, marcas, estados from after_it
      except
      select user_id, email, full_name, approved, valid_until, email_verified_at, types, marcas, estados from before_it
    ) as changed;
  end if;
  if ids is not null then
    insert into changes (kind, subject_id)
      select 'person', unnest(case when cardinality(ids) > 200 then array[null]::uuid[] else ids end);
    perform pg_notify('changes', '');
  end if;
  return null;
end $$;
