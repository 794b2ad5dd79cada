-- Log records as they came (docs/adr/0006).
CREATE TABLE IF NOT EXISTS logs
(
    tenant_id LowCardinality(String),
    -- Time of the event, else the time it was observed, else the time we received it.
    ts DateTime64(9) CODEC(Delta(8), ZSTD(1)),
    observed_ts DateTime64(9) CODEC(Delta(8), ZSTD(1)),
    trace_id FixedString(16) CODEC(ZSTD(1)),
    span_id FixedString(8) CODEC(ZSTD(1)),
    flags UInt32 CODEC(ZSTD(1)),
    -- SeverityNumber of OTLP, 0 to 24.
    severity UInt8 CODEC(ZSTD(1)),
    severity_text LowCardinality(String) CODEC(ZSTD(1)),
    event_name LowCardinality(String) CODEC(ZSTD(1)),
    -- Text as it came; any other value as JSON, with body_type telling (a letter as in attribute_types).
    body String CODEC(ZSTD(1)),
    body_type LowCardinality(String) CODEC(ZSTD(1)),
    service LowCardinality(String) CODEC(ZSTD(1)),
    resource Map(LowCardinality(String), LowCardinality(String)) CODEC(ZSTD(1)),
    resource_types LowCardinality(String) CODEC(ZSTD(1)),
    scope LowCardinality(String) CODEC(ZSTD(1)),
    scope_version LowCardinality(String) CODEC(ZSTD(1)),
    attributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    attribute_types LowCardinality(String) CODEC(ZSTD(1)),
    dropped UInt32 CODEC(ZSTD(1)),
    -- Place of the record within its message: with the offset the stable order of lines of the same instant.
    row UInt32 CODEC(Delta(4), ZSTD(1)),
    -- When we received it; with the offset it tells a message from another one at the same place of a bus that was made anew.
    received DateTime64(3) CODEC(Delta(8), ZSTD(1)),
    bus_partition UInt16 CODEC(ZSTD(1)),
    bus_offset UInt64 CODEC(Delta(8), ZSTD(1)),
    INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX by_offset bus_offset TYPE minmax GRANULARITY 1,
    INDEX by_ts ts TYPE minmax GRANULARITY 1,
    INDEX by_word body TYPE text(tokenizer = 'splitByNonAlpha', preprocessor = lower(body))
)
ENGINE = MergeTree
PARTITION BY (tenant_id, toDate(ts, 'UTC'))
ORDER BY (service, toStartOfMinute(ts))
TTL toDateTime(ts) + INTERVAL 15 DAY DELETE
SETTINGS ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, string_serialization_version = 'single_stream', min_parts_to_merge_at_once = 20,
    auto_statistics_types = '';
