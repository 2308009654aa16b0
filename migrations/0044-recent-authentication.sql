-- When the owner of the session last proved who they are, by a password so far. Null for sessions opened by 0.2 or by a
-- mailed link without a password: those are asked first.
alter table sessions add column authenticated_at timestamptz;
