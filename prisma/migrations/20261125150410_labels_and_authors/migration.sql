-- Who made a key or a campaign, and who changed the campaign last, as the audit log names them: an e-mail address. Not a
-- reference to a user, because the name outlives the account. Null for what is older. A key's label is for people. The
-- time zone of an application says which calendar its reports use.

ALTER TABLE api_keys
  ADD COLUMN label text,
  ADD COLUMN created_by text;
ALTER TABLE campaigns
  ADD COLUMN created_by text,
  ADD COLUMN updated_by text;
ALTER TABLE applications ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC';
