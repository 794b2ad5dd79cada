import type { TenantId } from '#kernel';
import type { SignalsThread } from './context.ts';

/** Open incidents of tests that fail or do not run, by the test's id. */
export async function readIncidents(
  { signals }: { signals: Pick<SignalsThread, 'openKeys'> },
  tenant: TenantId,
): Promise<Map<string, { id: string; number: number }>> {
  const found = new Map<string, { id: string; number: number }>();
  for (const kind of ['test.not_running', 'test.failing'] as const)
    for (const { attributes, incident } of await signals.openKeys(tenant, kind)) {
      const id = attributes['test.id'];
      if (id !== undefined && incident) found.set(id, incident);
    }
  return found;
}
