-- When a mail was due before its first attempt, which moves due_at. Null: not tried yet, or by a version before this one.
alter table mail_outbox add column first_due_at timestamptz;
