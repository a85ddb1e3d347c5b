-- What quotas ask of an upload's state, told by the statement that stores it: a look-up beforehand had to parse each state once
-- more and took the database half as long as the upload itself.
ALTER TABLE devices ADD COLUMN state_repeated boolean NOT NULL DEFAULT false;
