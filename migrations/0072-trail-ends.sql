-- The last seal that a receiver got: the chain has been cut or changed when it is no longer the one at its position.
alter table trail_cursors add column hash bytea, add column sealed_at timestamptz;
