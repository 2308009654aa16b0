-- A replaced refresh token may come again for two minutes, from the browser that used it first only: refreshed_by is its
-- device id. Sessions opened by 0.2 are not device_bound: there it may come from anywhere.
alter table sessions
  add column refreshed_by uuid,
  add column device_bound boolean not null default false;
