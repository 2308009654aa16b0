-- The last day, São Paulo's, on which somebody's approval opens anything; null for one without an end.
alter table profiles add column valid_until date;

create or replace trigger profiles_entitlement_version
  before update on profiles for each row
  when ((old.approved, old.valid_until, old.types, old.marcas, old.estados)
    is distinct from (new.approved, new.valid_until, new.types, new.marcas, new.estados))
  execute function raise_entitlement_version();

-- As in 0016, but that a new end is a change too.
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
    select array_agg(n.user_id) into ids from after_it n join before_it o on o.user_id = n.user_id
    where (n.email, n.full_name, n.approved, n.valid_until, n.email_verified_at, n.types, n.marcas, n.estados)
      is distinct from
      (o.email, o.full_name, o.approved, o.valid_until, o.email_verified_at, o.types, o.marcas, o.estados);
  end if;
  if ids is not null then
    insert into changes (kind, subject_id)
      select 'person', unnest(case when cardinality(ids) > 200 then array[null]::uuid[] else ids end);
    perform pg_notify('changes', '');
  end if;
  return null;
end $$;
