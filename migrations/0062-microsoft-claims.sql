-- Claims that the last ID token of a person lacked, for the doctor: xms_edov, email, groups, or
-- groups-overage where the groups were too many for the token. Null until the next sign-in.
alter table identities add column missing_claims text[];
-- The mail that has the link of a sign-in, so that a later mail leaves that link as it is.
alter table microsoft_sign_ins add column mail_id uuid;
