import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type Ctx, parseTenantId } from '#kernel';
import type { Relational } from '#relational';
import { createOpenRequests } from './open-requests.ts';
import type { Sessions } from './sessions.ts';

const ctx: Ctx = {
  requestId: 'r',
  principal: { kind: 'account', id: 'somebody', tenant: parseTenantId('acme'), permissions: new Set() },
};

const open = () =>
  createOpenRequests({
    relational: {} as Relational,
    sessions: {} as Sessions,
    clock: { now: () => Date.now() },
    log: pino({ level: 'silent' }),
  });

const responseOf = (closed: boolean) => Object.assign(new EventEmitter(), { closed }) as unknown as ServerResponse;

test('a request ends when its client closes the connection', async () => {
  const response = responseOf(false);
  const followed = await open().follow(response, async () => ctx);
  expect(followed?.ended?.aborted).toBe(false);
  response.emit('close');
  expect(followed?.ended?.reason).toMatchObject({ code: 'unavailable' });
});

test('one whose client left before it was known who asks has ended already', async () => {
  const followed = await open().follow(responseOf(true), async () => ctx);
  expect(followed?.ended?.reason).toMatchObject({ code: 'unavailable' });
});
