import type { Topic } from '@svc/contracts/bus-topics';
import { pino } from 'pino';
import { describeBus } from './bus.contract.ts';
import { createMemoryBus } from './memory.ts';

let topics = 0;

describeBus('memory', {
  durable: false,
  bounded: true,
  freshTopic: async () => `memory.${++topics}` as Topic,
  open: async (options) =>
    createMemoryBus({ log: pino({ level: 'silent' }), maxBytes: options?.bounded ? 4_000_000 : 64_000_000 }),
});
