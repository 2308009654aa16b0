-- That somebody went through the people who have an area or a brand, and with what result.
create table access_reviews (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('types', 'marcas')),
  code text not null,
  reviewed_at timestamptz not null,
  -- Null once the reviewer has been deleted.
  reviewer_id uuid references profiles (user_id) on delete set null,
  kept integer not null,
  removed integer not null,
  foreign key (kind, code) references catalogue_items (kind, code)
);
create index access_reviews_item on access_reviews (kind, code, reviewed_at);
create index access_reviews_reviewer on access_reviews (reviewer_id);
create index access_reviews_reviewed_at on access_reviews (reviewed_at);
