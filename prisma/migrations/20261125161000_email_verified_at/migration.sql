-- When an account proved its mailbox; null means never. Accounts from before count as verified: the tokens that proved
-- their mailboxes are deleted a week after they expire, so the data cannot tell, and an owner who resets the password must
-- not lose the organization.

ALTER TABLE users ADD COLUMN email_verified_at timestamptz(6);
UPDATE users SET email_verified_at = created_at WHERE password_hash IS NOT NULL AND email_verified_at IS NULL;
