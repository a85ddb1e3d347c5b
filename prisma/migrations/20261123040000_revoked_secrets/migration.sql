-- The secret of a revoked key is erased with the revocation from here on, so these go too: nothing ever reads them again.

UPDATE api_keys SET secret_encrypted = '' WHERE revoked_at IS NOT NULL AND secret_encrypted <> '';
