-- Why an export or a mailed report failed, as administrators read it: with the words of the service.
-- Null where it is the same, and for failures that the version before wrote down.
alter table jobs add column admin_detail text;
alter table report_subscriptions add column admin_failure text;
