-- How somebody signed in: 'password', 'microsoft+mfa', 'password+totp', …; null for reports, earlier rows and those of 0.2.
alter table access_records add column method text;
