import { systemClock } from '#kernel';
import { createMemoryTelemetry } from '#telemetry';
import { describeResultStore } from './result-store.contract.ts';
import { createMemoryStore } from './store-memory.ts';
import { createTargets } from './targets.ts';

describeResultStore('memory', async () => {
  const { series, close } = createMemoryTelemetry();
  return { store: createMemoryStore({ series, targets: createTargets({ clock: systemClock }) }), series, close };
});
