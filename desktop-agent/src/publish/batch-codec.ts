import { FLEET_SERVICE, RESULTS_SERVICE } from '@svc/contracts/agent/messages';

/** A ResultBatch whose results are already encoded: they are copied, not built a second time. */
export interface EncodedBatch {
  sequence: number;
  results: readonly Uint8Array[];
}

const SEQUENCE_TAG = 0x08;
const RESULTS_TAG = 0x12;

const varintLength = (value: number): number => (value < 0x80 ? 1 : 1 + varintLength(Math.floor(value / 0x80)));

function writeVarint(into: Buffer, at: number, value: number): number {
  let rest = value;
  let next = at;
  while (rest >= 0x80) {
    into[next++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  into[next++] = rest;
  return next;
}

/** The bytes of message ResultBatch of proto/agent.proto. */
export function encodeBatch(batch: EncodedBatch): Buffer {
  const body = batch.results.reduce((sum, result) => sum + 1 + varintLength(result.length) + result.length, 0);
  const bytes = Buffer.allocUnsafe(1 + varintLength(batch.sequence) + body);
  let at = 0;
  bytes[at++] = SEQUENCE_TAG;
  at = writeVarint(bytes, at, batch.sequence);
  for (const result of batch.results) {
    bytes[at++] = RESULTS_TAG;
    at = writeVarint(bytes, at, result.length);
    bytes.set(result, at);
    at += result.length;
  }
  return bytes;
}

const asTheyAre = (bytes: Buffer): Buffer => bytes;

/** Both services of the agent's side over one connection; messages are encoded before, so that their very bytes can be written down. */
export const AGENT_METHODS = {
  publish: { ...RESULTS_SERVICE.publish, requestSerialize: asTheyAre },
  connect: { ...FLEET_SERVICE.connect, requestSerialize: asTheyAre },
};
