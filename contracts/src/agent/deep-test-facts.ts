/** What a deeper test costs at most, as it is written beside its button: both ways together, headers included. */
export const DEEP_TEST_COST = { bytes: 10_500_000, seconds: 30 } as const;

/** In the order in which they end, mostly. */
export const DEEP_TEST_PARTS = ['line', 'mtu', 'pings', 'path'] as const;
export type DeepTestPart = (typeof DEEP_TEST_PARTS)[number];
