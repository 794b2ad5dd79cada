/** What a runner's plan had once: what it measured then is still taken from its spool for this long. */
const REMEMBER_MS = 7 * 86_400_000;
/** Of one tenant; beyond it the runner whose plan was told longest ago is forgotten. */
const MAX_REMEMBERED = 200_000;

/** Which tests each runner of a tenant has in its plan, or had a while ago. */
export function createPlanMemory(now: () => number = () => performance.now()) {
  const seen = new Map<string, Map<string, number>>();
  const size = (): number => [...seen.values()].reduce((sum, own) => sum + own.size, 0);
  return {
    note(runnerId: string, ids: readonly string[]): void {
      const own = seen.get(runnerId) ?? new Map<string, number>();
      seen.delete(runnerId);
      seen.set(runnerId, own);
      for (const id of ids) own.set(id, now());
      for (const oldest of seen.keys()) {
        if (oldest === runnerId || size() <= MAX_REMEMBERED) return;
        seen.delete(oldest);
      }
    },
    has: (runnerId: string, id: string): boolean =>
      now() - (seen.get(runnerId)?.get(id) ?? Number.NEGATIVE_INFINITY) < REMEMBER_MS,
    forgetOld(): void {
      for (const [runnerId, own] of seen) {
        for (const [id, seenMs] of own) if (now() - seenMs >= REMEMBER_MS) own.delete(id);
        if (own.size === 0) seen.delete(runnerId);
      }
    },
  };
}

export type PlanMemory = ReturnType<typeof createPlanMemory>;
