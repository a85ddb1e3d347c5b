-- Of the lines that are there. Apart from the ALTER TABLE, whose lock would keep uploads of purchases waiting meanwhile.
UPDATE store_entitlements e SET first_device_id = f.device_id
FROM (
  SELECT DISTINCT ON (t.application_id, t.line_id) t.application_id, t.line_id, c.device_id
  FROM store_transactions t
  JOIN store_claims c ON c.transaction_id = t.id AND c.application_id = t.application_id
  CROSS JOIN LATERAL unnest(c.arrivals) AS arrival (at)
  WHERE t.state = 'RESOLVED' AND t.line_id IS NOT NULL AND (t.purchased_at IS NULL OR arrival.at >= t.purchased_at)
  ORDER BY t.application_id, t.line_id, arrival.at, c.uploaded_by, c.external_id COLLATE "C") AS f
WHERE e.application_id = f.application_id AND e.line_id = f.line_id;
