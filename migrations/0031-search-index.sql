-- A rare word is found without reading everybody. A server may lack the extension or forbid it: then the search reads every row.
do $$
begin
  create extension if not exists pg_trgm;
  create index if not exists profiles_search_text on profiles using gin (search_text gin_trgm_ops);
exception
  when insufficient_privilege or undefined_file or undefined_object or feature_not_supported then
    raise notice 'no pg_trgm: the search of the user list works without its index';
end $$;
