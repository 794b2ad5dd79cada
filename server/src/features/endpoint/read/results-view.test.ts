import { randomInt, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Ctx, parseTenantId } from '#kernel';
import { HistoryInput } from '../api.ts';
import type { EndpointDeps, HistoryQuestion, StoredResult } from '../context.ts';
import { listHistory } from './results-view.ts';

const MIB = 1024 * 1024;
const NOW_MS = Date.UTC(2026, 0, 2);
const ctx: Ctx = {
  requestId: 'r',
  principal: { kind: 'account', id: 'p', tenant: parseTenantId('acme'), permissions: new Set() },
};

const resultAt = (startedAtMs: number, bytes: number): StoredResult => ({
  resultId: randomUUID(),
  agentId: 'a',
  type: 'endpoint.wifi',
  target: '',
  startedAtMs,
  present: true,
  metrics: {},
  attributes: { big: 'x'.repeat(bytes) },
});

const isBefore = (one: StoredResult, { startedAtMs, resultId }: { startedAtMs: number; resultId: string }) =>
  one.startedAtMs < startedAtMs || (one.startedAtMs === startedAtMs && one.resultId < resultId);

/** What a store of these results answers. */
function depsOf(results: readonly StoredResult[]): EndpointDeps {
  const inOrder = results.toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  const history = async (_tenant: string, { before, limit = 1000 }: HistoryQuestion) =>
    inOrder.filter((one) => !before || isBefore(one, before)).slice(-limit);
  return {
    clock: { now: () => NOW_MS },
    relational: { withTenantSql: async () => ({ rowCount: 1 }) },
    results: { history },
    toCanonical: (_tenant: string, result: StoredResult) => result,
  } as unknown as EndpointDeps;
}

async function readAll(results: readonly StoredResult[], limit: number) {
  const deps = depsOf(results);
  const pages: StoredResult[][] = [];
  for (let cursor: string | undefined; ; ) {
    // As the procedure takes it: what it refuses, nobody can go on with.
    const input = HistoryInput.parse({ id: randomUUID(), limit, ...(cursor !== undefined && { cursor }) });
    const page = await listHistory(deps, ctx, input);
    pages.push(page.items as unknown as StoredResult[]);
    if (page.next_cursor === null) return pages;
    cursor = page.next_cursor;
  }
}

test('every cursor is taken back and each result is on one page, however many share a millisecond', async () => {
  for (let round = 0; round < 30; round += 1) {
    const moments = randomInt(1, 5);
    const results = Array.from({ length: randomInt(1, 400) }, () => resultAt(NOW_MS - 1 - randomInt(moments), 10));
    const given = (await readAll(results, randomInt(1, 60))).flat();
    expect(given.map(({ startedAtMs }) => startedAtMs)).toEqual(results.map((one) => one.startedAtMs).sort((a, b) => b - a));
    expect(new Set(given.map(({ resultId }) => resultId)).size).toBe(results.length);
  }
});

test('a page of heavy results ends at 8 MiB, and the next goes on there', async () => {
  const pages = await readAll(
    Array.from({ length: 20 }, (_, i) => resultAt(NOW_MS - 1 - i, MIB)),
    1000,
  );
  expect(pages.map(({ length }) => length)).toEqual([7, 7, 6]);
});
