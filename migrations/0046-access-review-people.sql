-- Whom a review kept and whom it took the access from; a deleted person leaves the record.
create table access_review_people (
  review_id uuid not null references access_reviews on delete cascade,
  user_id uuid not null references profiles (user_id) on delete cascade,
  removed boolean not null,
  primary key (review_id, user_id)
);
create index on access_review_people (user_id);
