-- What a fingerprint of an OTLP series stands for (docs/adr/0006). Written again each month it is seen in, so that it outlives its points.
CREATE TABLE IF NOT EXISTS metric_series
(
    tenant_id LowCardinality(String),
    -- As in a TSDB: underscores, unit suffix, _total.
    metric LowCardinality(String) CODEC(ZSTD(1)),
    fp UInt64 CODEC(ZSTD(1)),
    -- yyyymm
    month UInt32 CODEC(ZSTD(1)),
    -- The name as it came, with dots.
    otel_name LowCardinality(String) CODEC(ZSTD(1)),
    unit LowCardinality(String) CODEC(ZSTD(1)),
    description LowCardinality(String) CODEC(ZSTD(1)),
    -- gauge, sum (cumulative, monotonic), updown (cumulative, not monotonic), delta, histogram, delta_histogram, exp_histogram,
    -- delta_exp_histogram, summary
    kind LowCardinality(String) CODEC(ZSTD(1)),
    service LowCardinality(String) CODEC(ZSTD(1)),
    scope LowCardinality(String) CODEC(ZSTD(1)),
    -- Of resource and point alike; a point's own wins. Dotted names.
    labels Map(LowCardinality(String), String) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY (tenant_id, month)
ORDER BY (metric, fp)
TTL toDateTime(makeDate(intDiv(month, 100), month % 100, 1)) + INTERVAL 15 MONTH DELETE
SETTINGS ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, string_serialization_version = 'single_stream', auto_statistics_types = '';

-- Numbers of gauges and sums; the same (series, ts) written again collapses. Application, host and flow metrics keep clocks of their own:
-- a part holds one clock, so that it can go as a whole.
CREATE TABLE IF NOT EXISTS metric_points
(
    tenant_id LowCardinality(String),
    metric LowCardinality(String) CODEC(ZSTD(1)),
    fp UInt64 CODEC(ZSTD(1)),
    ts DateTime64(3) CODEC(DoubleDelta, ZSTD(1)),
    value Float64 CODEC(Gorilla, ZSTD(1)),
    keep_days UInt16 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY (tenant_id, toDate(ts), keep_days)
ORDER BY (metric, fp, ts)
TTL toDateTime(ts) + toIntervalDay(keep_days) DELETE
SETTINGS index_granularity = 2048, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, min_parts_to_merge_at_once = 20, auto_statistics_types = '';

-- Histograms (bounds and counts), exponential ones (scale, offsets and counts) and summaries (quantiles).
CREATE TABLE IF NOT EXISTS metric_histograms
(
    tenant_id LowCardinality(String),
    metric LowCardinality(String) CODEC(ZSTD(1)),
    fp UInt64 CODEC(ZSTD(1)),
    ts DateTime64(3) CODEC(DoubleDelta, ZSTD(1)),
    count UInt64 CODEC(ZSTD(1)),
    sum Float64 CODEC(ZSTD(1)),
    -- NaN where the sender gave none.
    min Float64 CODEC(ZSTD(1)),
    max Float64 CODEC(ZSTD(1)),
    -- Upper bounds of a classic histogram, or the quantiles (0 to 1) of a summary.
    bounds Array(Float64) CODEC(ZSTD(1)),
    -- One more than bounds; not cumulative. Empty for a summary.
    counts Array(UInt64) CODEC(ZSTD(1)),
    -- Values of a summary's quantiles.
    quantile_values Array(Float64) CODEC(ZSTD(1)),
    scale Int32 CODEC(ZSTD(1)),
    zero_count UInt64 CODEC(ZSTD(1)),
    zero_threshold Float64 CODEC(ZSTD(1)),
    positive_offset Int32 CODEC(ZSTD(1)),
    positive_counts Array(UInt64) CODEC(ZSTD(1)),
    negative_offset Int32 CODEC(ZSTD(1)),
    negative_counts Array(UInt64) CODEC(ZSTD(1)),
    keep_days UInt16 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY (tenant_id, toDate(ts), keep_days)
ORDER BY (metric, fp, ts)
TTL toDateTime(ts) + toIntervalDay(keep_days) DELETE
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, min_parts_to_merge_at_once = 20, auto_statistics_types = '';

CREATE TABLE IF NOT EXISTS metric_exemplars
(
    tenant_id LowCardinality(String),
    metric LowCardinality(String) CODEC(ZSTD(1)),
    fp UInt64 CODEC(ZSTD(1)),
    ts DateTime64(3) CODEC(Delta(8), ZSTD(1)),
    value Float64 CODEC(ZSTD(1)),
    trace_id FixedString(16) CODEC(ZSTD(1)),
    span_id FixedString(8) CODEC(ZSTD(1)),
    attributes Map(LowCardinality(String), String) CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY (tenant_id, toDate(ts))
ORDER BY (metric, fp, ts, trace_id, span_id)
TTL toDateTime(ts) + INTERVAL 15 DAY DELETE
SETTINGS ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, auto_statistics_types = '';
