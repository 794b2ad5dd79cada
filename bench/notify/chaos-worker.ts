// One of the replicas of chaos.ts: sends what the outbox holds until it is killed. Its settings are its one argument, as JSON.
import { setTimeout as sleep } from 'node:timers/promises';
import type { VirtualBase } from './virtual-time.ts';
import { hastenTimers, virtualNow } from './virtual-time.ts';

interface Settings {
  appUrl: string;
  key: string;
  ca: string;
  base: VirtualBase;
  leaseMs: number;
}

const { appUrl, key, ca, base, leaseMs } = JSON.parse(process.argv[2] ?? '') as Settings;
hastenTimers(base, '/notify/outbox/worker.ts');
const { pino } = await import('pino');
const { openRelational } = await import('../../server/src/relational/index.ts');
const { createProviders } = await import('../../server/src/features/notify-providers/index.ts');
const { openOutbound } = await import('../../server/src/features/notify-providers/test-providers.ts');
const { createWorld } = await import('./world.ts');

const now = virtualNow(base);
/** The database may be on its way back when a replica is started again. */
async function openPatiently(): Promise<Awaited<ReturnType<typeof openRelational>>> {
  for (const end = Date.now() + 20_000; ; await sleep(250)) {
    try {
      return await openRelational({ appUrl, log: pino({ level: 'silent' }), poolSize: 6 });
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
const relational = await openPatiently();
const world = createWorld({
  ...{ relational, key: Buffer.from(key, 'hex'), now, leaseMs },
  providers: createProviders({ outbound: openOutbound(ca), now }),
});
await world.notify.start((role) => role === 'evaluate');
// Who started this ends with it, also where it was killed itself.
process.on('disconnect', () => process.exit(0));
process.send?.('started');
