-- Spans as they came (docs/adr/0006). A coarse time in ORDER BY on purpose: a full one doubled what merges cost.
CREATE TABLE IF NOT EXISTS spans
(
    tenant_id LowCardinality(String),
    ts DateTime64(9) CODEC(Delta(8), ZSTD(1)),
    duration_ns UInt64 CODEC(ZSTD(1)),
    trace_id FixedString(16) CODEC(ZSTD(1)),
    span_id FixedString(8) CODEC(ZSTD(1)),
    -- Zeros for a root.
    parent_id FixedString(8) CODEC(ZSTD(1)),
    trace_state String CODEC(ZSTD(1)),
    flags UInt32 CODEC(ZSTD(1)),
    name LowCardinality(String) CODEC(ZSTD(1)),
    -- As in OTLP: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer.
    kind UInt8 CODEC(ZSTD(1)),
    service LowCardinality(String) CODEC(ZSTD(1)),
    resource Map(LowCardinality(String), LowCardinality(String)) CODEC(ZSTD(1)),
    resource_types LowCardinality(String) CODEC(ZSTD(1)),
    scope LowCardinality(String) CODEC(ZSTD(1)),
    scope_version LowCardinality(String) CODEC(ZSTD(1)),
    attributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    attribute_types LowCardinality(String) CODEC(ZSTD(1)),
    -- 0 unset, 1 ok, 2 error.
    status UInt8 CODEC(ZSTD(1)),
    status_message String CODEC(ZSTD(1)),
    -- Attributes that people filter by, as columns of their own (8 against 96 ms); they stand in `attributes` as well.
    http_method LowCardinality(String) CODEC(ZSTD(1)),
    http_route LowCardinality(String) CODEC(ZSTD(1)),
    -- 0 where there is none.
    http_status UInt16 CODEC(ZSTD(1)),
    db_system LowCardinality(String) CODEC(ZSTD(1)),
    rpc_service LowCardinality(String) CODEC(ZSTD(1)),
    -- Whom a client span calls, as it says itself: peer.service, else server.address (with port), else db or messaging system.
    peer LowCardinality(String) CODEC(ZSTD(1)),
    event_ts Array(DateTime64(9)) CODEC(ZSTD(1)),
    event_names Array(LowCardinality(String)) CODEC(ZSTD(1)),
    event_attributes Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
    event_attribute_types Array(LowCardinality(String)) CODEC(ZSTD(1)),
    link_trace_ids Array(FixedString(16)) CODEC(ZSTD(1)),
    link_span_ids Array(FixedString(8)) CODEC(ZSTD(1)),
    link_attributes Array(Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
    link_attribute_types Array(LowCardinality(String)) CODEC(ZSTD(1)),
    -- Entries that the sender dropped: attributes, events, links.
    dropped Array(UInt32) CODEC(ZSTD(1)),
    -- When we received it; with the offset it tells a message from another one at the same place of a bus that was made anew.
    received DateTime64(3) CODEC(Delta(8), ZSTD(1)),
    bus_partition UInt16 CODEC(ZSTD(1)),
    bus_offset UInt64 CODEC(Delta(8), ZSTD(1)),
    INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX by_offset bus_offset TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY (tenant_id, toDate(ts, 'UTC'))
ORDER BY (service, name, toStartOfMinute(ts))
TTL toDateTime(ts) + INTERVAL 15 DAY DELETE
SETTINGS ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, string_serialization_version = 'single_stream', min_parts_to_merge_at_once = 20,
    auto_statistics_types = '';
