import { crc32 } from 'node:zlib';
import { addCounts, type BuildMessage, type Built, giveBlocks, type SignalBuilder } from '../build/index.ts';
import { OtlpFault, type Signal, walk } from '../wire/index.ts';
import { type BatchTenant, type BuildRequest, DamagedMessage, MESSAGE_NUMBERS } from './messages.ts';

function toBuildMessages({ messages, tenants, memory, partition, stored }: BuildRequest): BuildMessage[] {
  const built: BuildMessage[] = [];
  for (let i = 0; i < messages.length; i += MESSAGE_NUMBERS) {
    const { tenant, large } = tenants[messages[i] as number] as BatchTenant;
    const start = messages[i + 2] as number;
    const days = stored.get(built.length);
    built.push({
      tenant,
      bytes: Buffer.from(memory[messages[i + 1] as number] as SharedArrayBuffer, start, (messages[i + 3] as number) - start),
      at: messages[i + 4] as number,
      partition,
      offsetLow: messages[i + 5] as number,
      offsetHigh: messages[i + 6] as number,
      large,
      stored: days && new Set(days),
    });
  }
  return built;
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

/** Just before it is read: its bytes are then in the processor's cache. */
function ensureIntact(numbers: Float64Array, i: number, { bytes }: BuildMessage): void {
  const [seed, crc] = [numbers[i * MESSAGE_NUMBERS + 7] as number, numbers[i * MESSAGE_NUMBERS + 8]];
  if (crc !== -1 && crc32(bytes, seed) !== crc) throw new DamagedMessage();
}

interface Adding {
  request: BuildRequest;
  messages: readonly BuildMessage[];
  refused: ReadonlySet<number>;
  /** What was built whenever the builder was full. */
  parts: Built[];
}

/** The place of the first message that cannot be built, or -1 when all are in the builder or in parts. */
function addAll(builder: SignalBuilder, { request, messages, refused, parts }: Adding): number {
  for (const [i, message] of messages.entries()) {
    if (refused.has(i)) continue;
    if (builder.isFull) parts.push(builder.finish());
    ensureIntact(request.messages, i, message);
    try {
      builder.add(message);
    } catch {
      // One message that nothing can be made of must not hold up the others for ever: it is counted.
      return i;
    }
  }
  return -1;
}

function giveBack(parts: Built[]): void {
  for (const { blocks } of parts.splice(0)) giveBlocks(blocks);
}

/** All of a batch; nearly always that is what was built last. */
function join(parts: readonly Built[], last: Built): Built {
  if (parts.length === 0) return last;
  const all = [...parts, last];
  const counts: Built['counts'] = new Map();
  for (const part of all) addCounts(counts, part.counts);
  const stored = (): void => {
    for (const part of all) part.stored?.();
  };
  return { blocks: all.flatMap(({ blocks }) => blocks), counts, stored };
}

/**
 * Builds one batch. What our receiver publishes was validated there; where something else lies on the bus, the batch is begun anew
 * without every message that the walker refuses. Throws DamagedMessage.
 */
export function buildBatch(builder: SignalBuilder, request: BuildRequest): Built & { refused: number[] } {
  const messages = toBuildMessages(request);
  const refused = new Set<number>();
  const parts: Built[] = [];
  try {
    for (let walked = false; ; ) {
      const faulty = addAll(builder, { request, messages, refused, parts });
      if (faulty < 0) {
        const last = builder.finish();
        return { ...join(parts.splice(0), last), refused: [...refused].sort((a, b) => a - b) };
      }
      builder.reset();
      giveBack(parts);
      refused.add(faulty);
      if (walked) continue;
      walked = true;
      for (const [i, message] of messages.entries()) if (!isRequest(request.signal, message)) refused.add(i);
    }
  } finally {
    giveBack(parts);
  }
}
