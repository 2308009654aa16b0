-- How an area's first report is named beside further ones; null is the area's label. 0.2 leaves it as it is.
alter table global_powerbi_settings add column name text;
