-- Since 25.12 ClickHouse lowers the most parts of a merge a little below its setting, so that with 14 as the least and the most (0013) nothing was
-- ever merged: 15 leaves 14. With its base of 5 it also takes the large part of the last merge into each next one while blocks are
-- small (fixed cost of 5 MB a part), which wrote a row 5 to 200 times; with 14, 3 to 5 times (docs/adr/0006).
ALTER TABLE results MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE samples MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE sample_hours MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE spans MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE logs MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE metric_points MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE metric_histograms MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
ALTER TABLE metric_hours MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 15, merge_selector_base = 14;
