-- The agent's request that a frame answers: an answer that is on its way is not
-- given again when the agent repeats the request to a later daemon.
ALTER TABLE frames ADD COLUMN request TEXT NOT NULL DEFAULT '';
