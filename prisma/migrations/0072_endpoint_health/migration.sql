-- How well a device is and the kind of its fault, read out of its newest verdict so that the fleet counts and filters by them. Null: an
-- agent that says neither, whose cause alone counts.
ALTER TABLE endpoint_summary ADD COLUMN health text;
ALTER TABLE endpoint_summary ADD COLUMN fault_kind text;
