-- What all tests are judged by at once, beside what only a page shows: how long the newest run took, and when the newest one that measured
-- something began.
ALTER TABLE synthetic_test_heads ADD COLUMN last_ms double precision NOT NULL DEFAULT 0;
ALTER TABLE synthetic_test_heads ADD COLUMN measured_at timestamptz(3);
