-- The newest result of each agent, type and target: a page of agents reads this and not a month of history.
-- Filled by the view; an older result that arrives later loses by its time, the same one twice changes nothing.
CREATE TABLE IF NOT EXISTS latest_results AS results
ENGINE = ReplacingMergeTree(ts)
PARTITION BY tenant_id
ORDER BY (agent_id, canary_type, target)
TTL toDateTime(ts) + INTERVAL 30 DAY DELETE
SETTINGS index_granularity = 256,
    fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1,
    min_level_for_wide_part = 1, string_serialization_version = 'single_stream', auto_statistics_types = '';

CREATE MATERIALIZED VIEW IF NOT EXISTS latest_results_view TO latest_results AS SELECT * FROM results;
