-- Devices of testers, which the reads of src/analytics leave out. The release before writes applications without them.
ALTER TABLE "applications" ADD COLUMN "test_devices" TEXT[] NOT NULL DEFAULT '{}';
