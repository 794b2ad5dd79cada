-- Runs of synthetic tests, one row a run: the test first, since every question names tests. Redelivery inserts the same key again; readers
-- collapse it.
CREATE TABLE IF NOT EXISTS test_runs
(
    tenant_id LowCardinality(String),
    test_id UUID CODEC(ZSTD(1)),
    runner_id LowCardinality(String) CODEC(ZSTD(1)),
    ts DateTime64(3) CODEC(Delta(8), ZSTD(1)),
    result_id UUID CODEC(ZSTD(1)),
    -- Of the test that it was made by.
    version UInt32 CODEC(ZSTD(1)),
    -- 0 failed, 1 passed, 2 nothing could be measured.
    outcome UInt8 CODEC(ZSTD(1)),
    -- Asked for by a person or a program: it counts for nothing but itself.
    on_demand UInt8 CODEC(ZSTD(1)),
    fault LowCardinality(String) CODEC(ZSTD(1)),
    error String CODEC(ZSTD(1)),
    total_ms Float64 CODEC(ZSTD(1)),
    -- NaN where a phase was not reached or is not part of the type.
    dns_ms Float64 CODEC(ZSTD(1)),
    connect_ms Float64 CODEC(ZSTD(1)),
    tls_ms Float64 CODEC(ZSTD(1)),
    first_byte_ms Float64 CODEC(ZSTD(1)),
    transfer_ms Float64 CODEC(ZSTD(1)),
    figures Map(LowCardinality(String), Float64) CODEC(ZSTD(1)),
    address String CODEC(ZSTD(1)),
    -- JSON, as the run told them.
    certificate String CODEC(ZSTD(1)),
    assertions String CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY (tenant_id, toDate(ts))
ORDER BY (test_id, runner_id, ts, result_id)
TTL toDateTime(ts) + INTERVAL 30 DAY DELETE
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, string_serialization_version = 'single_stream',
    min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14,
    auto_statistics_types = '';

-- Runs by the hour, for ranges that outlive them; computed as sample_hours are (0005). Runs on demand are not in it.
CREATE TABLE IF NOT EXISTS test_hours
(
    tenant_id LowCardinality(String),
    test_id UUID CODEC(ZSTD(1)),
    runner_id LowCardinality(String) CODEC(ZSTD(1)),
    -- Hours since 1970, so that no time zone of a server can move them.
    hour UInt32 CODEC(DoubleDelta, ZSTD(1)),
    passed UInt32 CODEC(T64, ZSTD(1)),
    failed UInt32 CODEC(T64, ZSTD(1)),
    not_run UInt32 CODEC(T64, ZSTD(1)),
    -- Sums over the runs that passed or failed, and of each phase how many runs reached it.
    total Float64 CODEC(ZSTD(1)),
    phase_sums Array(Float64) CODEC(ZSTD(1)),
    phase_counts Array(UInt32) CODEC(ZSTD(1)),
    -- Of the runs that passed, in all, milliseconds.
    digest AggregateFunction(quantilesTDigest(0.5, 0.95), Float64) CODEC(ZSTD(1)),
    -- Writes that the hour had seen when it was computed.
    version UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY (tenant_id, toYYYYMM(toDateTime(hour * 3600, 'UTC')))
ORDER BY (test_id, runner_id, hour)
TTL toDateTime(hour * 3600) + INTERVAL 13 MONTH DELETE
SETTINGS index_granularity = 512, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14,
    auto_statistics_types = '';

-- Which hours have runs that are not rolled up yet (as sample_marks).
CREATE TABLE IF NOT EXISTS test_marks
(
    tenant_id LowCardinality(String),
    hour UInt32 CODEC(Delta(4), ZSTD(1)),
    writes SimpleAggregateFunction(sum, UInt64) CODEC(ZSTD(1)),
    rolled SimpleAggregateFunction(max, UInt64) CODEC(ZSTD(1)),
    written_at SimpleAggregateFunction(max, DateTime64(3)) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
ORDER BY (tenant_id, hour)
TTL toDateTime(hour * 3600) + INTERVAL 31 DAY DELETE
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, auto_statistics_types = '';

CREATE MATERIALIZED VIEW IF NOT EXISTS test_marks_view TO test_marks AS
SELECT tenant_id, toUInt32(intDiv(toUnixTimestamp64Milli(ts), 3600000)) AS hour, toUInt64(1) AS writes, now64(3) AS written_at
FROM test_runs
GROUP BY tenant_id, hour;
