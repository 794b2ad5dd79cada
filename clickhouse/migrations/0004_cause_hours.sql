-- Of each agent, hour and cause the minutes in which a verdict said so, as bits: a roll-up that redelivery cannot change.
-- A strip of a page of agents reads a few hundred rows here instead of a day of verdicts.
CREATE TABLE IF NOT EXISTS cause_hours
(
    tenant_id LowCardinality(String),
    agent_id String CODEC(ZSTD(1)),
    -- Hours since 1970, so that no time zone of a server can move them.
    hour UInt32 CODEC(Delta(4), ZSTD(1)),
    cause LowCardinality(String) CODEC(ZSTD(1)),
    minutes SimpleAggregateFunction(groupBitOr, UInt64) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY (tenant_id, intDiv(hour, 24))
ORDER BY (agent_id, hour, cause)
TTL toDateTime(hour * 3600) + INTERVAL 31 DAY DELETE
SETTINGS index_granularity = 512, ttl_only_drop_parts = 1,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, string_serialization_version = 'single_stream', auto_statistics_types = '';

CREATE MATERIALIZED VIEW IF NOT EXISTS cause_hours_view TO cause_hours AS
SELECT tenant_id, agent_id, toUInt32(intDiv(toUnixTimestamp64Milli(ts), 3600000)) AS hour, cause,
    groupBitOr(bitShiftLeft(toUInt64(1), toUInt8(intDiv(toUnixTimestamp64Milli(ts), 60000) % 60))) AS minutes
FROM results
WHERE canary_type = 'endpoint.attribution' AND cause != ''
GROUP BY tenant_id, agent_id, hour, cause;
