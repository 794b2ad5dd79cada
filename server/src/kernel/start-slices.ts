import type { HasRole, Slice } from './slice.ts';

/** Starts those that have work in a process of these roles, one after the other in their order. */
export async function startSlices(slices: readonly Slice[], hasRole: HasRole): Promise<void> {
  for (const slice of slices) if (slice.roles.some(hasRole)) await slice.start?.(hasRole);
}
