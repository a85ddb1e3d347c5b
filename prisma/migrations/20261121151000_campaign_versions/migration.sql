-- What devices got of each campaign under each version that was SCHEDULED or ACTIVE. A CampaignShown names the campaign
-- and not the version: together with published_at this tells which content a device showed.

CREATE TABLE campaign_versions (
  campaign_id uuid NOT NULL,
  version integer NOT NULL,
  delivered jsonb NOT NULL,
  published_at timestamptz(6) NOT NULL,
  CONSTRAINT campaign_versions_pkey PRIMARY KEY (campaign_id, version),
  CONSTRAINT campaign_versions_campaign_id_fkey FOREIGN KEY (campaign_id) REFERENCES campaigns (id) ON DELETE CASCADE ON UPDATE CASCADE
);

-- Append-only; versions go only with their campaign.
CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % never change', TG_TABLE_NAME;
END
$$;

CREATE TRIGGER campaign_versions_kept BEFORE UPDATE ON campaign_versions
  FOR EACH ROW EXECUTE FUNCTION refuse_update();
