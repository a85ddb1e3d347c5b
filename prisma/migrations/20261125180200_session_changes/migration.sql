-- What each transaction has stored, changed or removed, for the copies that follow (src/analytics/engine/relations.md).
CREATE TABLE session_changes (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  at timestamptz(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  refs bigint[] NOT NULL DEFAULT '{}',
  device_keys uuid[] NOT NULL DEFAULT '{}',
  sessions integer NOT NULL DEFAULT 0,
  events integer,
  dropped_before date,
  removed_application uuid,
  purchases_of uuid,
  transactions text[],
  lines text[]
);
-- A batch of 300 sessions stays in its page: TOAST would write each array again, in pieces with an index.
ALTER TABLE session_changes SET (toast_tuple_target = 8160);
CREATE INDEX session_changes_xid_idx ON session_changes (xid);

-- The partition of the log and the DROP are one transaction: a follower drops the same events.
CREATE OR REPLACE FUNCTION drop_oldest_event_partition(days_kept integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  oldest date;
  partition_name text;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('drop_oldest_event_partition')) THEN RETURN NULL; END IF;
  oldest := events_kept_from();
  IF oldest IS NULL OR oldest + 7 > (now() AT TIME ZONE 'UTC')::date - days_kept THEN RETURN NULL; END IF;
  partition_name := 'events_' || to_char(oldest, 'YYYYMMDD');
  PERFORM set_config('lock_timeout', '200ms', true);
  EXECUTE format('DROP TABLE %I', partition_name);
  INSERT INTO session_changes (dropped_before) VALUES (oldest + 7);
  RETURN partition_name;
END
$$;

-- The end of the oldest partition that is to be dropped; null where none is.
CREATE FUNCTION event_partition_due(days_kept integer) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN kept + 7 <= (now() AT TIME ZONE 'UTC')::date - days_kept THEN kept + 7 END
  FROM (SELECT events_kept_from() AS kept) AS oldest
$$;

-- Nothing of a deleted application is shown from its deletion on, however long the removal of its rows takes.
CREATE FUNCTION log_application_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO session_changes (removed_application) VALUES (NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER log_application_removal AFTER UPDATE OF deleted_at ON applications
  FOR EACH ROW WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION log_application_removal();

-- A look-up takes its turn in columns that no read shows; most updates change only those.
CREATE FUNCTION log_transaction_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO session_changes (purchases_of, transactions)
      SELECT application_id, array_agg(id) FROM before WHERE state = 'RESOLVED' GROUP BY application_id;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO session_changes (purchases_of, transactions)
      SELECT application_id, array_agg(id) FROM after WHERE state = 'RESOLVED' GROUP BY application_id;
  ELSE
    INSERT INTO session_changes (purchases_of, transactions)
      SELECT n.application_id, array_agg(n.id) FROM after n JOIN before o USING (id, application_id)
      WHERE (n.state = 'RESOLVED' OR o.state = 'RESOLVED')
        AND (n.state, n.line_id, n.product_id, n.kind, n.environment, n.purchased_at, n.expires_at, n.revoked_at,
          n.revocation_type, n.revocation_percent, n.price_milli, n.currency, n.quantity, n.ownership, n.offer,
          n.offer_mode, n.storefront, n.uploaded_by) IS DISTINCT FROM
          (o.state, o.line_id, o.product_id, o.kind, o.environment, o.purchased_at, o.expires_at, o.revoked_at,
          o.revocation_type, o.revocation_percent, o.price_milli, o.currency, o.quantity, o.ownership, o.offer,
          o.offer_mode, o.storefront, o.uploaded_by)
      GROUP BY n.application_id;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER log_inserted_transactions AFTER INSERT ON store_transactions
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION log_transaction_changes();
CREATE TRIGGER log_updated_transactions AFTER UPDATE ON store_transactions
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION log_transaction_changes();
CREATE TRIGGER log_deleted_transactions AFTER DELETE ON store_transactions
  REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION log_transaction_changes();

CREATE FUNCTION log_line_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO session_changes (purchases_of, lines)
      SELECT application_id, array_agg(line_id) FROM before GROUP BY application_id;
  ELSIF TG_OP = 'INSERT' THEN
    INSERT INTO session_changes (purchases_of, lines)
      SELECT application_id, array_agg(line_id) FROM after GROUP BY application_id;
  ELSE
    INSERT INTO session_changes (purchases_of, lines)
      SELECT n.application_id, array_agg(n.line_id) FROM after n JOIN before o USING (line_id, application_id)
      WHERE (n.owner_external_id, n.owner_device_id, n.auto_renew, n.in_billing_retry, n.grace_expires_at, n.signed_at,
          n.renewal_signed_at) IS DISTINCT FROM
          (o.owner_external_id, o.owner_device_id, o.auto_renew, o.in_billing_retry, o.grace_expires_at, o.signed_at,
          o.renewal_signed_at)
      GROUP BY n.application_id;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER log_inserted_lines AFTER INSERT ON store_entitlements
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION log_line_changes();
CREATE TRIGGER log_updated_lines AFTER UPDATE ON store_entitlements
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION log_line_changes();
CREATE TRIGGER log_deleted_lines AFTER DELETE ON store_entitlements
  REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION log_line_changes();
CREATE TRIGGER log_inserted_renewals AFTER INSERT ON store_renewal_changes
  REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION log_line_changes();
