-- Since 25.12 ClickHouse lowers the most parts of a merge a little below its setting, so that with 14 as the least and the most (0013) nothing was
-- ever merged: 15 leaves 14. With its base of 5 it also takes the large part of the last merge into each next one while blocks are
-- small (it counts 5 MB more for each part), which wrote a row 5 to 200 times. With 14 that is 3 to 5 times and some 14 parts lie around; with 28,
-- for logs and points, twice and some 25 parts, which slows questions of spans by up to a third and those of the others little (docs/adr/0006).
ALTER TABLE results MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE samples MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE sample_hours MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE metric_hours MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE spans MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE logs MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 28;
ALTER TABLE metric_points MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 28;
ALTER TABLE metric_histograms MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 28;
-- The slowest spans of a day: three quarters of the time without it.
ALTER TABLE spans ADD INDEX IF NOT EXISTS by_duration duration_ns TYPE minmax GRANULARITY 1;
