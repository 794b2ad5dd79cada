import { crc32 } from 'node:zlib';
import type { BuildMessage, Built, SignalBuilder } from '@svc/otlp-wire/rows';
import { OtlpFault, type Signal, walk } from '@svc/otlp-wire/walk';
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
}

/** Adds messages until the builder is full or one is at fault: the place of the first that is not added, and whether it is at fault. */
function addMessages(builder: SignalBuilder, { request, messages, refused }: Adding): { taken: number; isFaulty: boolean } {
  for (const [i, message] of messages.entries()) {
    if (refused.has(i)) continue;
    if (builder.isFull) return { taken: i, isFaulty: false };
    ensureIntact(request.messages, i, message);
    try {
      builder.add(message);
    } catch {
      return { taken: i, isFaulty: true };
    }
  }
  return { taken: messages.length, isFaulty: false };
}

/** Places of all messages that the walker refuses, or that cannot be built each on its own. One pass, however many they are. */
function findFaulty(builder: SignalBuilder, { request, messages }: Omit<Adding, 'refused'>): Set<number> {
  const faulty = new Set<number>();
  for (const [i, message] of messages.entries()) {
    ensureIntact(request.messages, i, message);
    if (isRequest(request.signal, message) && canBeBuilt(builder, message)) continue;
    faulty.add(i);
  }
  return faulty;
}

function canBeBuilt(builder: SignalBuilder, message: BuildMessage): boolean {
  try {
    builder.add(message);
    return true;
  } catch {
    return false;
  } finally {
    builder.reset();
  }
}

/** Blocks of the first `taken` messages of a batch; `refused` are the places, in all of the batch, of messages that are no requests. */
export interface BuiltPart extends Built {
  taken: number;
  refused: number[];
}

/**
 * Builds a batch, or as much of its beginning as the builder holds: the rest is to be asked for again, without what was refused. What our
 * receiver publishes was validated there; where something else lies on the bus, the batch is begun anew without it. Throws DamagedMessage.
 */
export function buildBatch(builder: SignalBuilder, request: BuildRequest): BuiltPart {
  const messages = toBuildMessages(request);
  let refused: ReadonlySet<number> = new Set();
  let added = addMessages(builder, { request, messages, refused });
  if (added.isFaulty) {
    builder.reset();
    refused = findFaulty(builder, { request, messages });
    added = addMessages(builder, { request, messages, refused });
    if (added.isFaulty) throw new Error('A message cannot be built together with others.');
  }
  return { ...builder.finish(), taken: added.taken, refused: [...refused] };
}
