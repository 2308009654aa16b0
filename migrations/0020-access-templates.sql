-- Named sets of entitlements. What somebody is given of one is a copy: nothing else points here.
create table access_templates (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 40),
  types text[] not null default '{}',
  marcas text[] not null default '{}',
  estados text[] not null default '{}',
  version integer not null default 1
);
create unique index access_templates_name on access_templates (fold_text(name));
