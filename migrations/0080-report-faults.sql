-- Reports whose last tokens failed; the next token removes the row. 0.2 neither reads nor writes it.
create table report_faults (
  report text primary key,
  since timestamptz not null,
  failures integer not null,
  is_definite boolean not null,
  says text not null
);
