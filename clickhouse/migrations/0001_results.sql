-- Raw canonical results, one row a measurement. Redelivery inserts the same key again; readers collapse it (FINAL, LIMIT 1 BY).
-- By type first: one agent's newest per type is seven short ranges, and a fleet-wide question of one type reads only that type.
CREATE TABLE IF NOT EXISTS results
(
    tenant_id LowCardinality(String),
    canary_type LowCardinality(String),
    agent_id String CODEC(ZSTD(1)),
    ts DateTime64(3) CODEC(Delta(8), ZSTD(1)),
    result_id UUID CODEC(ZSTD(1)),
    test_id LowCardinality(String) CODEC(ZSTD(1)),
    server_address LowCardinality(String) CODEC(ZSTD(1)),
    server_port UInt16 CODEC(ZSTD(1)),
    -- Host, port unless usual, path unless root: what tells two targets of one type apart; also the series label.
    target LowCardinality(String) CODEC(ZSTD(1)),
    present UInt8 CODEC(ZSTD(1)),
    -- 0 failed, 1 succeeded, 2 success has no meaning for this type.
    success UInt8 CODEC(ZSTD(1)),
    error String CODEC(ZSTD(1)),
    -- NaN where it was not measured.
    duration_ms Float64 CODEC(ZSTD(1)),
    -- The attribute endpoint.cause as a column of its own: the strip of a page of agents reads nothing else.
    cause LowCardinality(String) CODEC(ZSTD(1)),
    metrics Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
    attributes Map(LowCardinality(String), String) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY (tenant_id, toDate(ts))
ORDER BY (canary_type, agent_id, ts, result_id)
TTL toDateTime(ts) + INTERVAL 30 DAY DELETE
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, string_serialization_version = 'single_stream', min_parts_to_merge_at_once = 10,
    auto_statistics_types = '';
