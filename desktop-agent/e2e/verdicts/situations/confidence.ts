/** Every nearer layer was measured and the evidence is direct. */
export const SURE = [0.6, 1] as const;
/** The evidence points there, and something else could look like it. */
export const LIKELY = [0.4, 0.95] as const;
/** Too little was seen to be sure. */
export const UNSURE = [0.1, 0.7] as const;
