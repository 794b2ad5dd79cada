import { TOPICS } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createMemoryBus } from '#bus';
import { parseTenantId } from '#kernel';
import { createDiskShares } from './index.ts';

const log = pino({ level: 'silent' });
const [loud, quiet] = [parseTenantId('loud'), parseTenantId('quiet')];

test('where the disk is nearly full, the tenant that fills it is refused and another is not, until there is room', async () => {
  let freeBytes = 10;
  const tenants = new Map([
    [loud, 900],
    [quiet, 10],
  ]);
  const store = { diskUse: async () => ({ freeBytes, totalBytes: 1000, tenants }) };
  const shares = createDiskShares({ bus: createMemoryBus({ log }), store, listTenants: async () => [loud, quiet], log });
  const send = (tenant: typeof loud) => shares.bus.publish(TOPICS.otlpLogs, [{ tenant, value: Buffer.from('x') }]);
  await send(loud);
  shares.start();
  await expect
    .poll(() => send(loud).catch(({ code, retryAfterSeconds }) => [code, retryAfterSeconds]))
    .toEqual(['unavailable', 60]);
  await send(quiet);
  freeBytes = 500;
  await expect.poll(() => send(loud).then(() => 'taken'), { timeout: 5000 }).toBe('taken');
  await shares.close();
});

test('what removed tenants left on the disk is nobody’s: it raises no share', async () => {
  const removed = parseTenantId('removed');
  const tenants = new Map([
    [loud, 300],
    [quiet, 50],
    [removed, 610],
  ]);
  const store = { diskUse: async () => ({ freeBytes: 40, totalBytes: 1000, tenants }) };
  const shares = createDiskShares({ bus: createMemoryBus({ log }), store, listTenants: async () => [loud, quiet], log });
  const send = (tenant: typeof loud) => shares.bus.publish(TOPICS.otlpLogs, [{ tenant, value: Buffer.from('x') }]);
  shares.start();
  await expect.poll(() => send(loud).catch(({ code }) => code)).toBe('unavailable');
  await send(quiet);
  await shares.close();
});

test('a tenant alone may fill the disk, whatever removed ones left there', async () => {
  const tenants = new Map([
    [loud, 300],
    [quiet, 610],
  ]);
  let looks = 0;
  const diskUse = async () => {
    looks += 1;
    return { freeBytes: 1, totalBytes: 1000, tenants };
  };
  const shares = createDiskShares({ bus: createMemoryBus({ log }), store: { diskUse }, listTenants: async () => [loud], log });
  shares.start();
  await expect.poll(() => looks, { timeout: 5000 }).toBe(2);
  await shares.bus.publish(TOPICS.otlpLogs, [{ tenant: loud, value: Buffer.from('x') }]);
  await shares.close();
});
