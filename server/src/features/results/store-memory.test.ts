import { createMemoryTelemetry } from '#telemetry';
import { describeResultStore } from './result-store.contract.ts';
import { createMemoryStore } from './store-memory.ts';

describeResultStore('memory', async () => {
  const telemetry = createMemoryTelemetry();
  return { store: createMemoryStore(telemetry.series), series: telemetry.series, close: telemetry.close };
});
