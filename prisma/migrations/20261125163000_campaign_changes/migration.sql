-- What each version of a campaign changed, field by field, for Campaign.history. Who made the version, when and by which
-- mutation is in its audit line. An entry without "before" and "after" is a field whose values nobody kept.

CREATE TABLE campaign_changes (
  campaign_id uuid NOT NULL,
  version integer NOT NULL,
  changes jsonb NOT NULL,
  CONSTRAINT campaign_changes_pkey PRIMARY KEY (campaign_id, version),
  CONSTRAINT campaign_changes_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE ON UPDATE CASCADE
);

CREATE TRIGGER campaign_changes_kept BEFORE UPDATE ON campaign_changes
  FOR EACH ROW EXECUTE FUNCTION refuse_update();

-- The lines of one object, newest first.
CREATE INDEX audit_entries_organization_id_object_id_at_idx ON audit_entries (organization_id, object_id, at);

-- The edits before this table: the values are known where this version and the one before it were both published. The
-- audit line names the edited fields. Devices do not get the description, nor a startAt before which somebody has
-- activated the campaign by hand: such a field gets an entry without values.
WITH edits AS (
  SELECT published.campaign_id, published.version, old.delivered AS before, published.delivered AS after, field.name, field.place
  FROM campaign_versions published
  JOIN campaign_versions old ON old.campaign_id = published.campaign_id AND old.version = published.version - 1
  JOIN campaigns c ON c.id = published.campaign_id
  JOIN applications a ON a.id = c.application_id
  JOIN projects p ON p.id = a.project_id
  JOIN audit_entries e ON e.organization_id = p.organization_id AND e.object_type = 'campaign'
    AND e.object_id = c.id::text AND e.action = 'campaignEdit' AND e.details -> 'version' = to_jsonb(published.version)
  CROSS JOIN LATERAL jsonb_array_elements_text(e.details -> 'fields') WITH ORDINALITY AS field (name, place)
), members AS (
  SELECT e.campaign_id, e.version, e.name, e.place, concat_ws('.', e.name, member.name) AS field,
    CASE WHEN member.name IS NULL THEN e.before -> e.name ELSE e.before -> e.name -> member.name END AS before,
    CASE WHEN member.name IS NULL THEN e.after -> e.name ELSE e.after -> e.name -> member.name END AS after
  FROM edits e
  LEFT JOIN LATERAL jsonb_object_keys(
    CASE jsonb_typeof(e.after -> e.name) WHEN 'object' THEN e.after -> e.name END) AS member (name) ON true
), changed AS (
  SELECT campaign_id, version, place,
    coalesce(
      jsonb_agg(jsonb_build_object('field', field, 'before', nullif(before, '{"min": null, "max": null}'),
        'after', nullif(after, '{"min": null, "max": null}'))) FILTER (WHERE before IS DISTINCT FROM after),
      jsonb_build_array(jsonb_build_object('field', name))) AS entries
  FROM members GROUP BY campaign_id, version, place, name
)
INSERT INTO campaign_changes (campaign_id, version, changes)
  SELECT campaign_id, version, jsonb_agg(entry ORDER BY place)
  FROM changed CROSS JOIN LATERAL jsonb_array_elements(entries) AS entry
  GROUP BY campaign_id, version;
