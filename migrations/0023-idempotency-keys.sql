-- The first answers to changes that may be asked for again, because the answer was lost on its way. All of it is made of
-- the key that the caller chose: without that, it names nobody and cannot be read.
create table idempotency_keys (
  id bytea primary key,
  request bytea not null,
  answer bytea,
  created_at timestamptz not null default now()
);
create index idempotency_keys_created_at on idempotency_keys (created_at);
