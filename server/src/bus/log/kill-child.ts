import { writeSync } from 'node:fs';
import type { Topic } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import type { TenantId } from '#kernel';
import { createLogBus } from '../log.ts';

/** Publishes without end, five tenants side by side from number `from` on, and says on standard output what was acknowledged. */
const [folder, from] = process.argv.slice(2) as [string, string];
const topic = 'svc.endpoint.results' as Topic;
const bus = await createLogBus({ folder, log: pino({ level: 'silent' }), segmentBytes: 200_000 });

let handled = 0;
await bus.subscribe({ topic, group: 'work' }, async ({ messages }) => {
  handled += messages.length;
  if (handled > 100_000) throw new Error('far enough');
});

async function publishFor(tenant: TenantId): Promise<never> {
  for (let number = Number(from); ; number += 3) {
    const numbers = [number, number + 1, number + 2];
    await bus.publish(
      topic,
      numbers.map((each) => ({ tenant, value: Buffer.from(`${tenant}:${each}:`.padEnd(900, 'x')) })),
    );
    writeSync(1, numbers.map((each) => `${tenant}:${each}\n`).join(''));
  }
}

await Promise.all(['a', 'b', 'c', 'd', 'e'].map((tenant) => publishFor(tenant as TenantId)));
