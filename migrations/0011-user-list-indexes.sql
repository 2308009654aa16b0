-- The list of 10,000 people is sorted as it is read: only the two orders that it opens in pay for an index, by e-mail
-- (profiles_by_email) and the newest registration first (profiles_by_registration_down).
-- Version 0.1 still reads the column is_entitled and calls fold_text with what it searches for; without these indexes
-- it is slower but right. The column can go once 0.1 no longer runs beside a newer version; search_text needs the function.
drop index if exists
  profiles_search_text,
  profiles_by_name,
  profiles_by_name_down,
  profiles_without_name,
  profiles_by_approval,
  profiles_pending_entitled,
  profiles_by_verification,
  profiles_by_verification_down,
  profiles_unverified,
  profiles_by_registration,
  profiles_by_last_access,
  profiles_by_last_access_down,
  profiles_never_seen,
  profiles_pending_by_last_access,
  profiles_unverified_by_last_access,
  profiles_unverified_by_approval;
