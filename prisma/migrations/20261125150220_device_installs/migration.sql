-- Each pair of vendorIdentifier and installDatetime of a device, with the first and the last time it was seen. A device from
-- before begins to list them with its next upload.
ALTER TABLE devices ADD COLUMN installs jsonb NOT NULL DEFAULT '{}';
