/** Rollout rings in the order in which a version goes through them (specification, "Agent rollout rings"). */
export const RINGS = ['canary', 'early', 'main'] as const;
export type Ring = (typeof RINGS)[number];
