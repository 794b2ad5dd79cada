-- What a search looks into, in lower case: folding the title, target, prefix and site of 100,000 incidents at each search took most of its time.
ALTER TABLE incidents ADD COLUMN search text NOT NULL DEFAULT '';
