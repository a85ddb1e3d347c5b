-- When the installation of the stored properties was first seen, in Unix seconds. It was last seen at state_at, so that an
-- upload of the same installation merges no JSON. Null: the device has no upload since this migration.
ALTER TABLE devices ADD COLUMN install_since double precision;
