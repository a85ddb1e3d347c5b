-- Subscriptions that run and were looked up before look-ups had a date: they stay active at their end until its look-up has
-- ended. The store signed what it said at their last look-up.
UPDATE store_entitlements SET looked_up_at = signed_at
WHERE looked_up_at IS NULL AND kind = 'AUTO_RENEWABLE' AND expires_at > now();
