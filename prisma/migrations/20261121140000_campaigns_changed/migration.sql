-- Every process keeps the campaigns it serves in memory. A trigger rather than a call beside each statement: no writer
-- can forget it, a person with psql included, and it is sent with the commit of the change.

CREATE FUNCTION notify_campaigns_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Equal notifications of one transaction are sent once.
  PERFORM pg_notify('campaigns_changed', coalesce(NEW.application_id, OLD.application_id)::text);
  RETURN NULL;
END
$$;

CREATE TRIGGER campaigns_changed AFTER INSERT OR UPDATE OR DELETE ON campaigns
  FOR EACH ROW EXECUTE FUNCTION notify_campaigns_changed();
