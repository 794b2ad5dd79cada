import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedPieces } from '../shared-pieces.ts';
import type { TokenEntry, TokenGate } from '../tokens/table.ts';
import { jsonToWire, OtlpFault, type OtlpFaultKind, type Signal, split, type Walked, walk } from '../wire/index.ts';
import { giveBack, inflate } from './body.ts';
import { type Budget, createBudget, type Held } from './budget.ts';
import type { Counters } from './counters.ts';
import { createLanes, type Turn } from './lanes.ts';
import type { PublishJob } from './messages.ts';

import { readResource } from './read-resource.ts';
import { Refusal, type RefusalReason, toRefusal } from './refusal.ts';

export interface IntakeDeps {
  gate: TokenGate;
  counters: Counters;
  maxBytes: number;
  maxMessageBytes: number;
  /** A body that is not there by then is not waited for. */
  requestMs: number;
  /** Resolves when the job is durable on the bus, with how long its answer is held back; rejects with a Refusal. */
  publish: (job: Omit<PublishJob, 'id'>) => Promise<number>;
  /** For messages of the bus. */
  memory: SharedPieces;
  nowMs?: () => number;
}

/** A request whose token was accepted; `finish` is called, whatever became of it. */
export interface Admitted {
  entry: TokenEntry;
  held: Held;
  /** From `wait` on. */
  turn?: Turn;
  isFinished: boolean;
}

export interface Request {
  signal: Signal;
  isJson: boolean;
  isGzip: boolean;
  body: Buffer;
}

export type Taken = Pick<Walked, 'rejected' | 'rejectReason'>;

const FAULT_REASON: Readonly<Record<OtlpFaultKind, RefusalReason>> = {
  malformed: 'malformed',
  too_deep: 'malformed',
  ambiguous_tenant: 'malformed',
  wrong_tenant: 'wrong_tenant',
  too_large: 'too_large',
};

const refusalOf = ({ kind, message, resourceIndex }: OtlpFault): Refusal =>
  new Refusal(FAULT_REASON[kind], message, resourceIndex === undefined ? {} : { resourceIndex });

/** The way of a request that both transports share: token, room, inflate, walk, bus. */
export function createIntake(deps: IntakeDeps) {
  const { gate, counters, memory, maxBytes, maxMessageBytes, nowMs = Date.now } = deps;
  const budget: Budget = createBudget(maxBytes);
  const lanes = createLanes();
  let draining = false;

  /** Counts why nothing was accepted, and gives it in words for the sender. */
  const refuse = (error: unknown, entry?: TokenEntry, request?: { signal: Signal; body: Buffer }): Refusal => {
    const refusal = toRefusal(error);
    const tells = request && (refusal.reason === 'wrong_tenant' || refusal.reason === 'malformed');
    counters.refused(refusal, entry, tells ? () => readResource(request.body, refusal.resourceIndex ?? 0) : undefined);
    return refusal;
  };

  /** Its memory and its turn are others'; more than once is as good as once. */
  const finish = (admitted: Admitted): void => {
    if (admitted.isFinished) return;
    admitted.isFinished = true;
    admitted.held.release();
    admitted.turn?.end();
  };

  /** The bytes in memory that can be handed to another thread. */
  const own = (bytes: Buffer): Buffer => {
    const copy = memory.lend(bytes.length);
    bytes.copy(copy);
    return copy;
  };

  /** The messages of the bus; none where nothing is kept. */
  const cutMessages = (signal: Signal, body: Buffer, { items, rejected, bytes }: Walked): Buffer[] => {
    if (items === rejected) return [];
    if (bytes.length > maxMessageBytes) return split(signal, bytes, maxMessageBytes).map(own);
    // What was stamped lies in lent memory already.
    return [bytes === body ? own(bytes) : bytes];
  };

  return {
    maxBytes,
    requestMs: deps.requestMs,
    refuse,
    usedBytes: budget.usedBytes,
    drain(): void {
      draining = true;
    },
    /** Before any of the body is read. Throws the Refusal, which is counted already. */
    admit(authorization: string | undefined, connection: object): Admitted {
      const checked = gate.check(authorization, connection);
      if ('refusal' in checked) throw refuse(checked.refusal, checked.entry);
      try {
        if (draining) throw new Refusal('unavailable', 'This server is going down; come again.', { retryAfterSeconds: 1 });
        return { entry: checked.entry, held: budget.hold(checked.entry.tenant), isFinished: false };
      } catch (error) {
        throw refuse(error, checked.entry);
      }
    },
    /** Resolves when the body may be read: a tenant that floods waits here for itself. */
    async wait(admitted: Admitted): Promise<void> {
      admitted.turn = await lanes.begin(admitted.entry.tenant);
    },
    finish,
    /** Resolves when everything is durable; throws the Refusal, which is counted already. */
    async take(admitted: Admitted, request: Request): Promise<Taken> {
      const { entry, held, turn } = admitted;
      const { signal } = request;
      let body = request.body;
      try {
        const at = nowMs();
        if (request.isGzip) body = await inflate(body, maxBytes, held);
        if (request.isJson) body = jsonToWire(signal, body);
        const bytes = body.length;
        turn?.arrived(bytes);
        const walked = walk(signal, body, { tenant: entry.tenant, nowMs: at, allocate: memory.lend });
        const { items, rejected, rejectReason } = walked;
        const parts = cutMessages(signal, body, walked);
        giveBack(request.body);
        const holdMs = parts.length > 0 ? await deps.publish({ signal, tenant: entry.tenant, at, parts }) : 0;
        finish(admitted);
        counters.used(entry, { signal, items: items - rejected, bytes });
        if (rejected > 0) counters.outOfTime(entry, rejected, rejectReason);
        if (holdMs > 0) await sleep(holdMs);
        return { rejected, rejectReason };
      } catch (error) {
        throw refuse(error instanceof OtlpFault ? refusalOf(error) : error, entry, { signal, body });
      }
    },
  };
}

export type Intake = ReturnType<typeof createIntake>;
