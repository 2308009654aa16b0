-- As whom an administrator was given a report ('Ver como'); the record's own person is the administrator.
alter table access_records add column viewed_as uuid;
create index access_records_viewed_as on access_records (viewed_as) where viewed_as is not null;
