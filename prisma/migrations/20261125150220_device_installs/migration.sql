-- Each pair of vendorIdentifier and installDatetime of a device, with the first and the last time it was seen. A device
-- stored before this migration lists its pairs from its next upload on.
ALTER TABLE devices ADD COLUMN installs jsonb NOT NULL DEFAULT '{}';
