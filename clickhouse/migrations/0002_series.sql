-- What a fingerprint stands for. A series is written again each month it is seen in, so that it outlives its samples and then expires.
CREATE TABLE IF NOT EXISTS series
(
    tenant_id LowCardinality(String),
    agent String CODEC(ZSTD(1)),
    metric LowCardinality(String) CODEC(ZSTD(1)),
    fp UInt64 CODEC(ZSTD(1)),
    month UInt32 CODEC(ZSTD(1)),
    -- Every label, agent among them; the keys are SERIES_LABELS.
    labels Map(LowCardinality(String), String) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY (tenant_id, month)
ORDER BY (agent, metric, fp)
TTL toDateTime(makeDate(intDiv(month, 100), month % 100, 1)) + INTERVAL 63 DAY DELETE
SETTINGS ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, string_serialization_version = 'single_stream', auto_statistics_types = '';

-- One point of one series; the same (series, ts) written again collapses.
CREATE TABLE IF NOT EXISTS samples
(
    tenant_id LowCardinality(String),
    metric LowCardinality(String) CODEC(ZSTD(1)),
    fp UInt64 CODEC(ZSTD(1)),
    ts DateTime64(3) CODEC(DoubleDelta, ZSTD(1)),
    value Float64 CODEC(Gorilla, ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY (tenant_id, toDate(ts))
ORDER BY (metric, fp, ts)
TTL toDateTime(ts) + INTERVAL 30 DAY DELETE
SETTINGS index_granularity = 2048, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, min_parts_to_merge_at_once = 10, auto_statistics_types = '';
