-- A merge holds a piece of each part that it reads: of 20 parts of spans it took 160 MB, which is a sixth of what the process may have.
ALTER TABLE spans MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 14;
ALTER TABLE logs MODIFY SETTING min_parts_to_merge_at_once = 14, max_parts_to_merge_at_once = 14;
