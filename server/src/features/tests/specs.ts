import type { WrittenTest } from '@svc/contracts/tests/written-test';
import { countOfPage } from '#api';
import type { Ctx } from '#kernel';
import type { TestsContext } from './context.ts';
import { specOf } from './store.ts';

/** All tests as they are written, by id: what a file is made of. */
export async function listSpecs(
  { cache }: TestsContext,
  { principal: { tenant } }: Ctx,
  { limit, cursor = '' }: { limit: number; cursor?: string | undefined },
): Promise<{ items: WrittenTest[]; next_cursor: string | null }> {
  const { list } = await cache.read(tenant);
  const after = list.filter(({ id }) => id > cursor).sort((a, b) => (a.id < b.id ? -1 : 1));
  const page = after.slice(0, limit);
  const items = page.map((test) => specOf(test) as WrittenTest);
  const kept = items.slice(0, countOfPage(items));
  return { items: kept, next_cursor: kept.length < after.length ? (page[kept.length - 1]?.id ?? null) : null };
}
