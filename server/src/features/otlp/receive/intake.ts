import { setTimeout as sleep } from 'node:timers/promises';
import { copyBytes } from '#kernel';
import type { SharedPieces } from '../shared-pieces.ts';
import type { TokenEntry, TokenGate } from '../tokens/table.ts';
import { jsonToWire, OtlpFault, type OtlpFaultKind, type Signal, split, type Walked, walk } from '../wire/index.ts';
import { Admitted, ROOM_BYTES } from './admitted.ts';
import { inflate } from './body.ts';
import { type Budget, createBudget } from './budget.ts';
import type { Counters } from './counters.ts';
import { createLanes, type Turn } from './lanes.ts';
import type { Outgoing } from './outbox.ts';
import { readResource } from './read-resource.ts';
import { Refusal, type RefusalReason, toRefusal } from './refusal.ts';

export interface IntakeDeps {
  gate: TokenGate;
  counters: Counters;
  maxBytes: number;
  maxMessageBytes: number;
  /** Resolves when the job is durable on the bus, with how long its answer is held back; rejects with a Refusal. */
  publish: (job: Outgoing) => Promise<number>;
  /** For bodies and messages of the bus. */
  memory: SharedPieces;
  nowMs?: () => number;
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

  /** The messages of the bus, in memory that was lent for them; none where nothing is kept. */
  const cutMessages = (admitted: Admitted, signal: Signal, { items, rejected, bytes, isLent }: Walked & { isLent: boolean }) => {
    const own = (part: Buffer): Buffer => {
      const copy = admitted.lend(part.length);
      copyBytes(part, copy, 0);
      return copy;
    };
    if (items === rejected) return [];
    if (bytes.length > maxMessageBytes) return split(signal, bytes, maxMessageBytes).map(own);
    return [isLent ? bytes : own(bytes)];
  };

  return {
    maxBytes,
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
        return new Admitted(checked.entry, budget.hold(checked.entry.tenant), memory);
      } catch (error) {
        throw refuse(error, checked.entry);
      }
    },
    /** A promise where the body may not be read yet: a tenant that floods waits here for itself. */
    wait(admitted: Admitted): Promise<void> | undefined {
      const begin = (turn: Turn): void => {
        admitted.turn = turn;
      };
      const turn = lanes.begin(admitted.entry.tenant);
      if (turn instanceof Promise) return turn.then(begin);
      begin(turn);
      return undefined;
    },
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
        const allocate = (size: number) => admitted.lend(size);
        // As it came it lies in lent memory.
        const room = body === request.body ? ROOM_BYTES : 0;
        const walked = walk(signal, body, { tenant: entry.tenant, nowMs: at, allocate, room });
        const { items, rejected, rejectReason } = walked;
        const parts = cutMessages(admitted, signal, { ...walked, isLent: room > 0 || walked.bytes !== body });
        admitted.handOver(parts);
        const holdMs = parts.length > 0 ? await deps.publish({ signal, tenant: entry.tenant, at, parts }) : 0;
        admitted.finish();
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
