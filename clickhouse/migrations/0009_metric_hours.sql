-- OTLP metrics by the hour, for ranges that outlive their points; computed as sample_hours are (0005). `first`, `last` and `increase` put
-- counters together again across hours, restarts included.
CREATE TABLE IF NOT EXISTS metric_hours
(
    tenant_id LowCardinality(String),
    metric LowCardinality(String) CODEC(ZSTD(1)),
    fp UInt64 CODEC(ZSTD(1)),
    -- Hours since 1970, so that no time zone of a server can move them.
    hour UInt32 CODEC(DoubleDelta, ZSTD(1)),
    points UInt32 CODEC(T64, ZSTD(1)),
    -- Unix milliseconds of the first and the last point.
    first_at UInt64 CODEC(DoubleDelta, ZSTD(1)),
    last_at UInt64 CODEC(DoubleDelta, ZSTD(1)),
    -- Of the value of a gauge or sum, of the sum of a histogram.
    first Float64 CODEC(Gorilla, ZSTD(1)),
    last Float64 CODEC(Gorilla, ZSTD(1)),
    increase Float64 CODEC(Gorilla, ZSTD(1)),
    total Float64 CODEC(Gorilla, ZSTD(1)),
    least Float64 CODEC(Gorilla, ZSTD(1)),
    most Float64 CODEC(Gorilla, ZSTD(1)),
    -- Of the count of a histogram or summary; 0 for others.
    count_first Float64 CODEC(Gorilla, ZSTD(1)),
    count_last Float64 CODEC(Gorilla, ZSTD(1)),
    count_increase Float64 CODEC(Gorilla, ZSTD(1)),
    count_total Float64 CODEC(Gorilla, ZSTD(1)),
    -- Writes that the hour had seen when it was computed.
    version UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY (tenant_id, toYYYYMM(toDateTime(hour * 3600, 'UTC')))
ORDER BY (metric, fp, hour)
TTL toDateTime(hour * 3600) + INTERVAL 13 MONTH DELETE
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, min_parts_to_merge_at_once = 10, auto_statistics_types = '';

-- Which hours have points that are not rolled up yet (as sample_marks).
CREATE TABLE IF NOT EXISTS metric_marks
(
    tenant_id LowCardinality(String),
    hour UInt32 CODEC(Delta(4), ZSTD(1)),
    writes SimpleAggregateFunction(sum, UInt64) CODEC(ZSTD(1)),
    rolled SimpleAggregateFunction(max, UInt64) CODEC(ZSTD(1)),
    written_at SimpleAggregateFunction(max, DateTime64(3)) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
ORDER BY (tenant_id, hour)
TTL toDateTime(hour * 3600) + INTERVAL 400 DAY DELETE
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, auto_statistics_types = '';

CREATE MATERIALIZED VIEW IF NOT EXISTS metric_marks_of_points TO metric_marks AS
SELECT tenant_id, toUInt32(intDiv(toUnixTimestamp64Milli(ts), 3600000)) AS hour, toUInt64(1) AS writes, now64(3) AS written_at
FROM metric_points
GROUP BY tenant_id, hour;

CREATE MATERIALIZED VIEW IF NOT EXISTS metric_marks_of_histograms TO metric_marks AS
SELECT tenant_id, toUInt32(intDiv(toUnixTimestamp64Milli(ts), 3600000)) AS hour, toUInt64(1) AS writes, now64(3) AS written_at
FROM metric_histograms
GROUP BY tenant_id, hour;
