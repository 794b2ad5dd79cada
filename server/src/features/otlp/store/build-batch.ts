import type { BuildMessage, Built, SignalBuilder } from '../build/index.ts';
import { OtlpFault, type Signal, walk } from '../wire/index.ts';
import type { BatchMessage, BuildRequest } from './messages.ts';

const LOW = 0xffff_ffffn;

function toBuildMessage(request: BuildRequest, message: BatchMessage): BuildMessage {
  const { tenant, memory, start, end, at, offset, large, stored } = message;
  return {
    tenant,
    bytes: Buffer.from(request.memory[memory] as SharedArrayBuffer, start, end - start),
    at,
    partition: request.partition,
    offsetLow: Number(offset & LOW),
    offsetHigh: Number(offset >> 32n),
    large,
    stored: stored && new Set(stored),
  };
}

function isRequest(signal: Signal, { bytes, tenant, at }: BuildMessage): boolean {
  try {
    walk(signal, bytes, { tenant, nowMs: at });
    return true;
  } catch (error) {
    if (error instanceof OtlpFault) return false;
    throw error;
  }
}

/** The place of the first message that cannot be built, or -1 when all are in the builder. */
function addAll(builder: SignalBuilder, messages: readonly BuildMessage[], refused: ReadonlySet<number>): number {
  for (const [i, message] of messages.entries()) {
    if (refused.has(i)) continue;
    try {
      builder.add(message);
    } catch {
      // One message that nothing can be made of must not hold up the others for ever: it is counted.
      return i;
    }
  }
  return -1;
}

/**
 * Builds one batch. What our receiver publishes was validated there; where something else lies on the bus, the batch is begun anew
 * without every message that the walker refuses.
 */
export function buildBatch(builder: SignalBuilder, request: BuildRequest): Built & { refused: number[] } {
  const messages = request.messages.map((message) => toBuildMessage(request, message));
  const refused = new Set<number>();
  for (let walked = false; ; ) {
    const faulty = addAll(builder, messages, refused);
    if (faulty < 0) return { ...builder.finish(), refused: [...refused].sort((a, b) => a - b) };
    builder.reset();
    refused.add(faulty);
    if (walked) continue;
    walked = true;
    for (const [i, message] of messages.entries()) if (!isRequest(request.signal, message)) refused.add(i);
  }
}
