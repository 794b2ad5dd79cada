import { Test, TestSpec } from '@svc/contracts/tests/test';
import { pino } from 'pino';
import { uuidv7 } from 'uuidv7';
import { expect, it } from 'vitest';
import { AppError, type Ctx, parseTenantId } from '#kernel';
import type { TestPagesDeps } from './context.ts';
import { createRunNow } from './run-now.ts';

const tenant = parseTenantId('acme');
const ctx: Ctx = {
  principal: { kind: 'account', id: 'ann', tenant, permissions: new Set(['test.write' as const]) },
  requestId: 'r',
};
const at = '2026-11-26T12:00:00.000Z';
const test = Test.parse({
  ...TestSpec.parse({ name: 'page', type: 'https', target: 'https://shop.example/' }),
  ...{ id: uuidv7(), version: 1, created_by: 'ann', created_at: at, updated_at: at },
});
const runner = { id: 'built-in', name: 'built-in', labels: {}, connected: true, lacks: {}, contactAtMs: undefined };

/** Runs that never end, on a database that answers nothing. */
function createHungRuns() {
  const query = async () => ({ rows: [], rowCount: 0 });
  const within = async (_tenant: unknown, work: (sql: unknown) => unknown) => await work({ query });
  let begun = 0;
  const deps = {
    relational: { withSystemSql: within, withTenantSql: within },
    appendAudit: async () => {},
    tests: () => ({ find: async () => test }),
    listRunners: async () => [runner],
    runOnce: async () => {
      begun += 1;
      return await new Promise(() => {});
    },
    clock: { now: () => Date.parse(at) },
    log: pino({ level: 'silent' }),
  };
  return { runs: createRunNow(deps as unknown as TestPagesDeps), begun: () => begun };
}

it('begins twenty runs on demand of a tenant at most, also of many that are asked for at once', async () => {
  const { runs, begun } = createHungRuns();
  const asked = await Promise.allSettled(Array.from({ length: 30 }, () => runs.runNow(ctx, { id: test.id })));
  const refused = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect([begun(), refused.length]).toEqual([20, 10]);
  expect(refused.every((error) => error instanceof AppError && error.code === 'rate_limited')).toBe(true);
});
