-- Samples by the hour, for ranges that outlive them. A view that adds up would count what is delivered twice: an hour is computed from its
-- samples as they read, collapsed, and a later computation of it replaces the earlier (version).
CREATE TABLE IF NOT EXISTS sample_hours
(
    tenant_id LowCardinality(String),
    metric LowCardinality(String) CODEC(ZSTD(1)),
    fp UInt64 CODEC(ZSTD(1)),
    -- Hours since 1970, so that no time zone of a server can move them.
    hour UInt32 CODEC(DoubleDelta, ZSTD(1)),
    points UInt32 CODEC(T64, ZSTD(1)),
    total Float64 CODEC(Gorilla, ZSTD(1)),
    least Float64 CODEC(Gorilla, ZSTD(1)),
    most Float64 CODEC(Gorilla, ZSTD(1)),
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

-- Which hours have samples that are not rolled up yet: those with more writes than were rolled up. Not partitioned by tenant, as every
-- insert of samples writes here too: a part a tenant halved what an insert of 50 tenants takes.
CREATE TABLE IF NOT EXISTS sample_marks
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

CREATE MATERIALIZED VIEW IF NOT EXISTS sample_marks_view TO sample_marks AS
SELECT tenant_id, toUInt32(intDiv(toUnixTimestamp64Milli(ts), 3600000)) AS hour, toUInt64(1) AS writes, now64(3) AS written_at
FROM samples
GROUP BY tenant_id, hour;

-- What was there before the view. Run again it only makes hours be computed again.
INSERT INTO sample_marks (tenant_id, hour, writes, written_at)
SELECT tenant_id, toUInt32(intDiv(toUnixTimestamp64Milli(ts), 3600000)) AS hour, 1, now64(3)
FROM samples
GROUP BY tenant_id, hour;

-- The name of a series has to outlive its hours: they stay until the last of their month is 13 months old.
ALTER TABLE series MODIFY TTL toDateTime(makeDate(intDiv(month, 100), month % 100, 1)) + INTERVAL 15 MONTH DELETE;
