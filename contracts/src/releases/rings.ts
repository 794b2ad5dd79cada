/** Rollout rings in the order in which a version goes through them (docs/contract/tenants-and-agents.md). */
export const RINGS = ['canary', 'early', 'main'] as const;
export type Ring = (typeof RINGS)[number];
