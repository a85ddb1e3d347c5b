-- A repeated refresh token is no theft while no token of its successor has been presented: its response was lost.

ALTER TABLE login_sessions ADD COLUMN used_generation integer NOT NULL DEFAULT 0;
ALTER TABLE refresh_tokens ADD COLUMN generation integer NOT NULL DEFAULT 0;

-- The database does not record whether clients presented the successors of earlier tokens. These successors count as
-- presented, so an earlier token is refused as before.
UPDATE refresh_tokens t SET generation = n.generation
FROM (
  SELECT hash, row_number() OVER (PARTITION BY session_id ORDER BY created_at, used_at NULLS LAST) - 1 AS generation
  FROM refresh_tokens
) n
WHERE n.hash = t.hash AND n.generation > 0;
UPDATE login_sessions s SET used_generation = n.generation
FROM (SELECT session_id, max(generation) AS generation FROM refresh_tokens GROUP BY session_id) n
WHERE n.session_id = s.id AND n.generation > 0;
