-- A user belongs to several organizations. Role and status move from the user to the membership, and an invitation is a
-- membership without a user: it reserves nothing. The mailed tokens of open invitations go on working.

CREATE TABLE memberships (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  user_id uuid,
  invited_email text,
  invited_name text,
  role user_role NOT NULL,
  status user_status NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  accepted_at timestamptz(6),
  last_login_at timestamptz(6),
  last_used_at timestamptz(6),
  CONSTRAINT memberships_pkey PRIMARY KEY (id),
  CONSTRAINT memberships_user_or_invitation CHECK ((user_id IS NULL) <> (invited_email IS NULL)),
  CONSTRAINT memberships_status_check CHECK (status = 'disabled' OR (status = 'invited') = (user_id IS NULL)),
  CONSTRAINT memberships_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX memberships_organization_id_user_id_key ON memberships (organization_id, user_id);
CREATE UNIQUE INDEX memberships_organization_id_invited_email_key ON memberships (organization_id, invited_email);
CREATE INDEX memberships_user_id_idx ON memberships (user_id);

-- Who has a password or is active is an account, all others are invitations. A row that no operation makes must not stop
-- the migration: an account without a password stays, and one that is still invited is disabled until an admin decides.
-- A membership keeps the id of its user: for an invitation it is the only trace of the row that goes.
INSERT INTO memberships (id, organization_id, user_id, invited_email, invited_name, role, status, created_at, accepted_at, last_login_at, last_used_at)
SELECT u.id, u.organization_id,
  CASE WHEN a.is_account THEN u.id END,
  CASE WHEN NOT a.is_account THEN u.email END,
  CASE WHEN NOT a.is_account THEN u.name END,
  u.role, CASE WHEN a.is_account AND u.status = 'invited' THEN 'disabled' ELSE u.status END, u.created_at,
  CASE WHEN a.is_account THEN u.created_at END,
  CASE WHEN a.is_account THEN s.last_login_at END, CASE WHEN a.is_account THEN s.last_used_at END
FROM users u CROSS JOIN LATERAL (
  SELECT u.password_hash IS NOT NULL OR u.status = 'active' AS is_account
) a LEFT JOIN LATERAL (
  SELECT max(created_at) AS last_login_at, max(last_used_at) AS last_used_at FROM login_sessions WHERE user_id = u.id
) s ON true;

ALTER TABLE password_tokens ADD COLUMN membership_id uuid, ALTER COLUMN user_id DROP NOT NULL;
-- The invitation tokens of accounts are used.
DELETE FROM password_tokens t USING memberships m WHERE m.user_id = t.user_id AND t.purpose = 'invitation';
UPDATE password_tokens SET membership_id = user_id, user_id = NULL WHERE purpose = 'invitation';
ALTER TABLE password_tokens
  ADD CONSTRAINT password_tokens_of_user_or_membership CHECK ((purpose = 'invitation') = (user_id IS NULL) AND (user_id IS NULL) <> (membership_id IS NULL)),
  ADD CONSTRAINT password_tokens_membership_id_fkey FOREIGN KEY (membership_id) REFERENCES memberships (id) ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX password_tokens_membership_id_idx ON password_tokens (membership_id);

ALTER TABLE login_sessions ADD COLUMN organization_id uuid;
UPDATE login_sessions s SET organization_id = u.organization_id FROM users u WHERE u.id = s.user_id;
ALTER TABLE login_sessions
  ALTER COLUMN organization_id SET NOT NULL,
  ADD CONSTRAINT login_sessions_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations (id) ON DELETE CASCADE ON UPDATE CASCADE;
CREATE INDEX login_sessions_organization_id_idx ON login_sessions (organization_id);

DELETE FROM users u WHERE NOT EXISTS (SELECT FROM memberships m WHERE m.user_id = u.id);
ALTER TABLE users DROP COLUMN organization_id, DROP COLUMN role, DROP COLUMN status;

-- What `login` gives an account without an active membership: five minutes to found an organization or to join one.
CREATE TABLE login_challenges (
  hash bytea NOT NULL,
  user_id uuid NOT NULL,
  expires_at timestamptz(6) NOT NULL,
  CONSTRAINT login_challenges_pkey PRIMARY KEY (hash),
  CONSTRAINT login_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX login_challenges_user_id_idx ON login_challenges (user_id);
CREATE INDEX login_challenges_expires_at_idx ON login_challenges (expires_at);
