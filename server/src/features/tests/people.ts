import type { NamedActor } from '@svc/contracts/tests/keeping';
import type { TenantId } from '#kernel';
import type { TestsContext } from './context.ts';

/** By its id, as people read it. */
export async function namedBy(
  { nameActors }: Pick<TestsContext, 'nameActors'>,
  tenant: TenantId,
  ids: readonly string[],
): Promise<(id: string) => NamedActor> {
  const names = ids.length > 0 ? await nameActors(tenant, [...new Set(ids)]) : new Map<string, string>();
  return (id) => ({ id, name: names.get(id) ?? null });
}
