import type { Topic } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { type BusHarness, describeBus } from './bus.contract.ts';
import { createMemoryBus } from './memory.ts';
import { describePoison } from './poison.contract.ts';
import { quickPause } from './test-pause.ts';

let topics = 0;

const harness: BusHarness = {
  durable: false,
  bounded: true,
  freshTopic: async () => `memory.${++topics}` as Topic,
  open: async (options) =>
    createMemoryBus({ log: pino({ level: 'silent' }), maxBytes: options?.bounded ? 4_000_000 : 64_000_000, pause: quickPause }),
};
describeBus('memory', harness);
describePoison('memory', harness);
