import { parentPort, workerData } from 'node:worker_threads';
import { createLogBuilder, createMetricBuilder, createSpanBuilder, giveMemory, type SignalBuilder } from '@svc/otlp-wire/rows';
import type { Signal } from '@svc/otlp-wire/walk';
import { standBehind } from '#kernel';
import { buildBatch } from './build-batch.ts';
import { type BuildAnswer, type BuildRequest, DamagedMessage, type StoreThreadData, type ToStoreThread } from './messages.ts';

const port = parentPort;
if (port === null) throw new Error('This is the entry of a thread.');

// What it makes has time; who waits for an answer has not.
standBehind();

const { days, bounds } = workerData as StoreThreadData;
const builders: Record<Signal, SignalBuilder> = {
  traces: createSpanBuilder(),
  logs: createLogBuilder(),
  metrics: createMetricBuilder(days, bounds),
};
/** What is to be told to a builder once its blocks are stored, by build. */
const waiting = new Map<number, () => void>();

function answer(request: BuildRequest): BuildAnswer {
  const { id } = request;
  const builder = builders[request.signal];
  try {
    const { blocks, counts, taken, refused, stored, series } = buildBatch(builder, request);
    if (stored) waiting.set(id, stored);
    return { id, blocks, counts, taken, refused, series };
  } catch (error) {
    builder.reset();
    const isDamaged = error instanceof DamagedMessage;
    return { id, blocks: [], counts: new Map(), taken: 0, refused: [], fault: String(error), isDamaged };
  }
}

port.on('message', (message: ToStoreThread) => {
  if (message.kind === 'build') {
    port.postMessage(answer(message));
    return;
  }
  if (message.kind === 'series') {
    builders.metrics.learn?.(message.series);
    return;
  }
  if (message.stored) waiting.get(message.id)?.();
  waiting.delete(message.id);
  giveMemory(message.memory);
});
