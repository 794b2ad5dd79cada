import { BATCH_BOUNDS, type ResultBatch, resultBatch } from '@svc/contracts/agent/messages';
import type { OutgoingMessage } from '#bus';
import { type AgentIdentity, AppError } from '#kernel';
import { admitResult } from './domain/admit-result.ts';

const MAX_REASONS = 10;

/** A batch after admission: what goes on the bus, and what was refused and why. */
export interface AdmittedBatch {
  sequence: number;
  messages: OutgoingMessage[];
  rejected: number;
  /** Distinct, at most ten. */
  reasons: string[];
}

/** Decodes a batch; `validation` for bytes that are none, `too_large` over the bounds: sending such a batch again would not help. */
export function decodeBatch(bytes: Buffer): ResultBatch {
  if (bytes.length > BATCH_BOUNDS.bytes) throw new AppError('too_large', `A batch has at most ${BATCH_BOUNDS.bytes} bytes.`);
  let batch: ResultBatch;
  try {
    batch = resultBatch.decode(bytes);
  } catch (error) {
    throw new AppError('validation', 'Invalid batch of results.', { cause: error });
  }
  if (batch.results.length > BATCH_BOUNDS.results) {
    throw new AppError('too_large', `A batch has at most ${BATCH_BOUNDS.results} results.`);
  }
  return batch;
}

/** Cuts one buffer into the values of the messages, so that a batch is copied once. */
function toValues(texts: readonly string[]): Buffer[] {
  const all = Buffer.from(texts.join(''), 'utf8');
  let end = 0;
  const isAscii = all.length === texts.reduce((sum, text) => sum + text.length, 0);
  return texts.map((text) => {
    const start = end;
    end += isAscii ? text.length : Buffer.byteLength(text);
    return all.subarray(start, end);
  });
}

/** Checks each result of a batch by itself: the good ones become messages, the others are counted with their reasons. */
export function admitBatch(batch: ResultBatch, agent: AgentIdentity, receivedAtMs: number): AdmittedBatch {
  const admission = { tenant: agent.tenant, agentId: agent.agentId, receivedAtUs: receivedAtMs * 1000 };
  const texts: string[] = [];
  const reasons = new Set<string>();
  let rejected = 0;
  for (const result of batch.results) {
    const admitted = admitResult(result, admission);
    if ('json' in admitted) texts.push(admitted.json);
    else {
      rejected += 1;
      if (reasons.size < MAX_REASONS) reasons.add(admitted.refused);
    }
  }
  const messages = toValues(texts).map((value) => ({ tenant: agent.tenant, value }));
  return { sequence: batch.sequence, messages, rejected, reasons: [...reasons] };
}
