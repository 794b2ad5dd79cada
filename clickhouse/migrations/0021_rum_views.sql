-- Page views of real users, one row a beacon: the app and its host first, since every question names them or wants all of a short time.
-- Redelivery inserts the same key again; readers collapse it.
CREATE TABLE IF NOT EXISTS rum_views
(
    tenant_id LowCardinality(String),
    app LowCardinality(String) CODEC(ZSTD(1)),
    host LowCardinality(String) CODEC(ZSTD(1)),
    -- When the beacon was received; no browser's clock.
    ts DateTime64(3) CODEC(Delta(8), ZSTD(1)),
    result_id UUID CODEC(ZSTD(1)),
    -- A path without query, fragment and what names a single thing or person; `other` beyond the bound of a day.
    page LowCardinality(String) CODEC(ZSTD(1)),
    browser LowCardinality(String) CODEC(ZSTD(1)),
    -- NaN where the browser told none.
    lcp Float64 CODEC(ZSTD(1)),
    inp Float64 CODEC(ZSTD(1)),
    cls Float64 CODEC(ZSTD(1)),
    ttfb Float64 CODEC(ZSTD(1)),
    fcp Float64 CODEC(ZSTD(1)),
    load Float64 CODEC(ZSTD(1)),
    errors UInt16 CODEC(ZSTD(1)),
    failed_requests UInt16 CODEC(ZSTD(1)),
    -- When it was stored first: what waited on the bus for too long was judged without.
    stored_at DateTime64(3) CODEC(Delta(8), ZSTD(1)),
    INDEX by_time ts TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree
PARTITION BY (tenant_id, toDate(ts))
ORDER BY (app, host, ts, result_id)
TTL toDateTime(ts) + INTERVAL 30 DAY DELETE
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, string_serialization_version = 'single_stream',
    min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14,
    auto_statistics_types = '';
