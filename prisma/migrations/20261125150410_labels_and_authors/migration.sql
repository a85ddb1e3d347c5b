-- The e-mail address of the user who created a key or a campaign, and of the user who last changed the campaign, as in
-- the audit log. It is no reference to a user, because the name must outlive the account. Rows stored before this
-- migration have null. A key's label is for people. The time zone of an application names the calendar of its reports.

ALTER TABLE api_keys
  ADD COLUMN label text,
  ADD COLUMN created_by text;
ALTER TABLE campaigns
  ADD COLUMN created_by text,
  ADD COLUMN updated_by text;
ALTER TABLE applications ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC';
