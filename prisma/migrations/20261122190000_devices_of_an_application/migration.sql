-- Only the removal of an application looks for its devices, and for all of them. Without the device's id, a random text,
-- a new device lands where its application's last one did, and the entry takes less than a tenth of the space.

CREATE INDEX devices_application_id_idx ON devices (application_id);
DROP INDEX devices_application_id_id_idx;
