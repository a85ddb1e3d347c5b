-- Whether the finish of a session that came again could be true when its upload arrived. Null: the session's first arrival
-- decides, which is the finish's own arrival in a session that has come once.
ALTER TABLE sessions ADD COLUMN finish_possible boolean;
