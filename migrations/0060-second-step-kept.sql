-- Codes of a clock that is ahead, as many as were shown: refused_step kept the last alone.
alter table factors add column refused_steps bigint[] not null default '{}';
-- Since when a factor of the portal was shown beside it: only then the directory's second step stands in for one.
alter table identities add column second_step_at timestamptz;
