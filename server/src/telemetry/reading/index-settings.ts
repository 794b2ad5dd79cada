/**
 * For a question whose index leaves few parts: the index is asked of all of them side by side before anything is read. Left to itself the store
 * asks it of each part when it comes to read it: a rare word in 16 ms for 7, a trace in 16 for 10.
 */
export const INDEX_FIRST: readonly string[] = ['use_skip_indexes_on_data_read = 0'];

/** The same for one that leaves few rows: to sort them costs less than to look by further indexes for what may be the first (7 ms of 25). */
export const FEW_ROWS: readonly string[] = [...INDEX_FIRST, 'use_top_k_dynamic_filtering = 0', 'use_skip_indexes_for_top_k = 0'];

/** The end of a statement with these settings. */
export const settingsSql = (settings: readonly string[]): string =>
  settings.length > 0 ? `SETTINGS ${[...new Set(settings)].join(', ')}` : '';
