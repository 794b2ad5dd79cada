-- Page views by the hour, for ranges of days; computed as sample_hours are (0005). They are kept no longer than the views.
CREATE TABLE IF NOT EXISTS rum_hours
(
    tenant_id LowCardinality(String),
    app LowCardinality(String) CODEC(ZSTD(1)),
    host LowCardinality(String) CODEC(ZSTD(1)),
    -- 0 of all views, 1 of a page, 2 of a family of browsers; 3 to 5: see rum_day_marks.
    dimension UInt8 CODEC(ZSTD(1)),
    -- The page or the family; '' of all.
    part LowCardinality(String) CODEC(ZSTD(1)),
    -- Hours since 1970, so that no time zone of a server can move them.
    hour UInt32 CODEC(DoubleDelta, ZSTD(1)),
    views UInt32 CODEC(T64, ZSTD(1)),
    -- Views with an error or a failed request, with the one, with the other; then both of them in all.
    hurt UInt32 CODEC(T64, ZSTD(1)),
    with_errors UInt32 CODEC(T64, ZSTD(1)),
    with_failed UInt32 CODEC(T64, ZSTD(1)),
    errors UInt64 CODEC(T64, ZSTD(1)),
    failed_requests UInt64 CODEC(T64, ZSTD(1)),
    -- Of lcp, inp, cls, ttfb, fcp, load: views that have it, those of them that are good, those that are poor.
    counts Array(UInt32) CODEC(ZSTD(1)),
    good Array(UInt32) CODEC(ZSTD(1)),
    poor Array(UInt32) CODEC(ZSTD(1)),
    -- Sketches whose quantiles are within 1 % of the value.
    lcp AggregateFunction(quantileDD(0.01, 0.75), Float64) CODEC(ZSTD(1)),
    inp AggregateFunction(quantileDD(0.01, 0.75), Float64) CODEC(ZSTD(1)),
    cls AggregateFunction(quantileDD(0.01, 0.75), Float64) CODEC(ZSTD(1)),
    ttfb AggregateFunction(quantileDD(0.01, 0.75), Float64) CODEC(ZSTD(1)),
    fcp AggregateFunction(quantileDD(0.01, 0.75), Float64) CODEC(ZSTD(1)),
    load AggregateFunction(quantileDD(0.01, 0.75), Float64) CODEC(ZSTD(1)),
    -- Writes that the hour had seen when it was computed.
    version UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY (tenant_id, toDate(toDateTime(hour * 3600, 'UTC')))
ORDER BY (app, host, dimension, part, hour)
TTL toDateTime(hour * 3600) + INTERVAL 30 DAY DELETE
SETTINGS index_granularity = 512, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14,
    auto_statistics_types = '';

-- Which hours have views that are not rolled up yet (as sample_marks).
CREATE TABLE IF NOT EXISTS rum_marks
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

CREATE MATERIALIZED VIEW IF NOT EXISTS rum_marks_view TO rum_marks AS
SELECT tenant_id, toUInt32(intDiv(toUnixTimestamp64Milli(ts), 3600000)) AS hour, toUInt64(1) AS writes, now64(3) AS written_at
FROM rum_views
GROUP BY tenant_id, hour;

-- Which days of page views are rolled up out of their hours, as of how many writes (rum_marks). The rows of such a day stand in rum_hours, at
-- its first hour: dimension 4 is 1 of a whole day, 5 is 2; dimension 3 has quarters of an hour of all views, numbered by `part`.
CREATE TABLE IF NOT EXISTS rum_day_marks
(
    tenant_id LowCardinality(String),
    -- Days since 1970.
    day UInt32 CODEC(Delta(4), ZSTD(1)),
    -- Sum of what its hours were rolled up as of: a later write to any of them makes another one of it.
    rolled SimpleAggregateFunction(max, UInt64) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
ORDER BY (tenant_id, day)
TTL toDateTime(day * 86400) + INTERVAL 32 DAY DELETE
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, auto_statistics_types = '';
