-- Which parts of its confinement hold for a session, by name with a space between.
ALTER TABLE sessions ADD COLUMN confined TEXT NOT NULL DEFAULT '';
