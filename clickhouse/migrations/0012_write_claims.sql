-- Who may write under a name (docs/adr/0006): the greatest claim, which each insert asks for. A number, rising, and who it is.
CREATE TABLE IF NOT EXISTS write_claims
(
    writer String,
    claim SimpleAggregateFunction(max, String)
)
ENGINE = AggregatingMergeTree
ORDER BY writer
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1, auto_statistics_types = '';
