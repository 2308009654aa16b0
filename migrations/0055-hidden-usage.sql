-- Openings that are not shown: those of groups under five, and those from which a sum would tell them.
alter table usage_sums add column hidden boolean not null default false;
update usage_sums set hidden = people < 5 where people < 5;
