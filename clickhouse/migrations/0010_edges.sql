-- Who called whom, by the minute in which the call was answered (docs/adr/0006). A minute is computed again when its spans or flows change;
-- its edges are those of the version that edge_minutes names, so that an edge that is no more goes with its version.
CREATE TABLE IF NOT EXISTS edges
(
    tenant_id LowCardinality(String),
    -- Minutes since 1970, so that no time zone of a server can move them.
    minute UInt32 CODEC(DoubleDelta, ZSTD(1)),
    -- '' where the caller is not known (kinds entry, unseen, service).
    source LowCardinality(String) CODEC(ZSTD(1)),
    target LowCardinality(String) CODEC(ZSTD(1)),
    -- call, message: answered by a span of the target. database, queue, host: a client's word for whom it calls, nobody answers for it;
    -- nameless: it says no word.
    -- entry: requests without a caller. unseen: with one whose span never came. service: spans of the target of any kind. flow: bytes.
    kind LowCardinality(String) CODEC(ZSTD(1)),
    calls UInt64 CODEC(ZSTD(1)),
    errors UInt64 CODEC(ZSTD(1)),
    duration_ns Float64 CODEC(ZSTD(1)),
    -- Calls by floor(8 * log2(duration in ns)): quantiles to 5 %, which add up over minutes.
    durations Map(UInt16, UInt64) CODEC(ZSTD(1)),
    bytes Float64 CODEC(ZSTD(1)),
    version UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY (tenant_id, toDate(toDateTime(minute * 60, 'UTC')))
ORDER BY (minute, source, target, kind)
TTL toDateTime(minute * 60) + INTERVAL 30 DAY DELETE
SETTINGS index_granularity = 2048, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, auto_statistics_types = '';

-- What was computed of a minute, and what it could not see. Written after its edges: half a computation is never read.
CREATE TABLE IF NOT EXISTS edge_minutes
(
    tenant_id LowCardinality(String),
    minute UInt32 CODEC(DoubleDelta, ZSTD(1)),
    spans UInt64 CODEC(ZSTD(1)),
    -- Spans whose trace state says that they were sampled.
    sampled UInt64 CODEC(ZSTD(1)),
    -- One trace in so many was counted, and its counts multiplied.
    one_in UInt32 CODEC(ZSTD(1)),
    version UInt64 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY (tenant_id, toDate(toDateTime(minute * 60, 'UTC')))
ORDER BY minute
TTL toDateTime(minute * 60) + INTERVAL 30 DAY DELETE
SETTINGS ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, auto_statistics_types = '';

-- Which minutes changed since they were computed (as metric_marks). Spans are marked by who writes them, behind them: a view over the same
-- rows cost a sixth of storing them.
CREATE TABLE IF NOT EXISTS edge_marks
(
    tenant_id LowCardinality(String),
    minute UInt32 CODEC(Delta(4), ZSTD(1)),
    writes SimpleAggregateFunction(sum, UInt64) CODEC(ZSTD(1)),
    rolled SimpleAggregateFunction(max, UInt64) CODEC(ZSTD(1)),
    written_at SimpleAggregateFunction(max, DateTime64(3)) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY (tenant_id, toDate(toDateTime(minute * 60, 'UTC')))
ORDER BY minute
TTL toDateTime(minute * 60) + INTERVAL 30 DAY DELETE
SETTINGS ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, auto_statistics_types = '';

CREATE MATERIALIZED VIEW IF NOT EXISTS edge_marks_of_flows TO edge_marks AS
SELECT tenant_id, toUInt32(intDiv(toUnixTimestamp64Milli(ts), 60000)) AS minute, toUInt64(1) AS writes, now64(3) AS written_at
FROM metric_points
WHERE metric IN ('obi_network_flow_bytes', 'obi_network_flow_bytes_total')
GROUP BY tenant_id, minute;
