-- The place of an event among those of its session in its upload. A session has at most 5,000 events in an upload, which a
-- smallint holds. It is the last column, so that no row is written anew: events of earlier releases have none.
ALTER TABLE events ADD COLUMN place smallint;
