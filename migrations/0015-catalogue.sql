-- The areas, brands and states that lists may hold. Rows are archived, never deleted: no code is used twice.
create table catalogue_items (
  kind text not null check (kind in ('types', 'marcas', 'estados')),
  -- Of an area the slug that its report stands under, of a brand or a state what lists and row-level security hold.
  code text not null check (code ~ case kind when 'types' then '^[a-z0-9-]{1,40}$' else '^[A-Z0-9_-]{1,20}$' end),
  label text not null check (char_length(label) between 1 and 40),
  position integer not null,
  archived boolean not null default false,
  primary key (kind, code)
);
create unique index catalogue_items_label on catalogue_items (kind, label);

insert into catalogue_items (kind, code, label, position) values
  ('types', 'vendas', 'Vendas', 1),
  ('types', 'oficina', 'Oficina', 2),
  ('types', 'hpd', 'HPD', 3),
  ('types', 'crm', 'CRM', 4),
  ('types', 'marketing', 'Marketing', 5),
  ('types', 'gerentes', 'Gerentes', 6),
  ('types', 'operadores', 'Operadores', 7),
  ('types', 'administrativo', 'Administrativo', 8),
  ('types', 'slack', 'Slack', 9),
  ('marcas', 'FIAT', 'FIAT', 1),
  ('marcas', 'GAC', 'GAC', 2),
  ('marcas', 'GM', 'GM', 3),
  ('marcas', 'GWM', 'GWM', 4),
  ('marcas', 'HONDA', 'HONDA', 5),
  ('marcas', 'HYUN', 'HYUN', 6),
  ('marcas', 'JEEP', 'JEEP', 7),
  ('marcas', 'OMJA', 'OMJA', 8),
  ('marcas', 'TOYO', 'TOYO', 9),
  ('marcas', 'VW', 'VW', 10),
  ('estados', 'RJ', 'RJ', 1),
  ('estados', 'ES', 'ES', 2),
  ('estados', 'MG', 'MG', 3),
  ('estados', 'PR', 'PR', 4);

-- Goes up with every change of the catalogue; whoever writes lists holds this row, so that no name changes under them.
insert into portal_facts (name, value) values ('catalogue-version', '1');
