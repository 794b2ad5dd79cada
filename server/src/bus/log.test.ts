import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Topic } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { afterAll } from 'vitest';
import { type BusHarness, describeBus } from './bus.contract.ts';
import { createLogBus } from './log.ts';
import { describePoison } from './poison.contract.ts';
import { quickPause } from './test-pause.ts';

let topics = 0;
const folder = await mkdtemp(join(tmpdir(), 'svc-log-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const harness: BusHarness = {
  durable: true,
  bounded: true,
  freshTopic: async () => `test.topic-${++topics}` as Topic,
  // The bounded one has a folder of its own: its bound counts all topics.
  open: async (options) =>
    createLogBus({
      folder: join(folder, options?.bounded ? 'bounded' : 'wide'),
      log: pino({ level: 'silent' }),
      pause: quickPause,
      ...(options?.bounded ? { maxBytes: 8_000_000 } : {}),
    }),
};
describeBus('log', harness);
describePoison('log', harness);
