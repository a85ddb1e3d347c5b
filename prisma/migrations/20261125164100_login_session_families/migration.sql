-- The first of the sessions that began one from the other, without a password in between; null for the first itself. A
-- stolen refresh token ends all of them. No foreign key: the first may be deleted before the others.

ALTER TABLE login_sessions ADD COLUMN family_id uuid;
