-- What Resource and InstrumentationScope say beside name, version and attributes of the resource: JSON as in
-- contracts/src/otlp/origin-notes.ts, '' for nothing. One text for all of it, since a column of a few texts costs next to nothing and a
-- map, nearly always empty, would cost eight bytes a row.
ALTER TABLE spans ADD COLUMN IF NOT EXISTS origin LowCardinality(String) CODEC(ZSTD(1));
ALTER TABLE logs ADD COLUMN IF NOT EXISTS origin LowCardinality(String) CODEC(ZSTD(1));

-- One entry for each link; none at all in rows that are older.
ALTER TABLE spans ADD COLUMN IF NOT EXISTS link_trace_states Array(LowCardinality(String)) CODEC(ZSTD(1));
ALTER TABLE spans ADD COLUMN IF NOT EXISTS link_flags Array(UInt32) CODEC(ZSTD(1));

-- As they were when the series was written (0008): a new version of a library is the same series. `origin` has the metadata of the metric too.
ALTER TABLE metric_series ADD COLUMN IF NOT EXISTS scope_version LowCardinality(String) CODEC(ZSTD(1));
ALTER TABLE metric_series ADD COLUMN IF NOT EXISTS origin LowCardinality(String) CODEC(ZSTD(1));
