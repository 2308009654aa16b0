-- Groups of the directory, by their ids with typed names, and the access template that each gives.
create table group_mappings (
  group_id text primary key,
  name text not null,
  template_id uuid not null references access_templates on delete cascade
);
create index group_mappings_template_id on group_mappings (template_id);
