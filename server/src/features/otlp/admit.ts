import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedPieces } from '@svc/otlp-wire/shared-pieces';
import {
  jsonToWire,
  OtlpFault,
  type OtlpFaultKind,
  readResource,
  type Signal,
  split,
  type Walked,
  walk,
} from '@svc/otlp-wire/walk';
import { copyBytes } from '#kernel';
import { Admitted, ROOM_BYTES } from './admitted.ts';
import { inflate } from './body.ts';
import { type Budget, createBudget } from './budget.ts';
import type { Counters } from './counters.ts';
import { createLanes, type Turn } from './lanes.ts';
import type { Durable, Outgoing } from './outbox.ts';
import { Refusal, type RefusalReason, toRefusal } from './refusal.ts';
import type { TokenEntry, TokenGate } from './token-gate.ts';

export interface IntakeDeps {
  gate: TokenGate;
  counters: Counters;
  maxBytes: number;
  maxMessageBytes: number;
  /** Resolves when the job is durable on the bus; rejects with a Refusal. */
  publish: (job: Outgoing) => Promise<Durable>;
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

/** `message` is why records were rejected, or a warning where none were; '' where there is nothing to say. */
export interface Taken {
  rejected: number;
  message: string;
}

const NOTHING_PUBLISHED: Durable = { holdMs: 0, warning: '' };

const FAULT_REASON: Readonly<Record<OtlpFaultKind, RefusalReason>> = {
  malformed: 'malformed',
  too_deep: 'malformed',
  ambiguous_tenant: 'malformed',
  wrong_tenant: 'wrong_tenant',
  too_large: 'too_large',
};

const refusalOf = ({ kind, message, resourceIndex }: OtlpFault): Refusal =>
  new Refusal(FAULT_REASON[kind], message, resourceIndex === undefined ? {} : { resourceIndex });

interface Cut {
  signal: Signal;
  maxMessageBytes: number;
  /** The walked bytes lie in memory that was lent for them. */
  isLent: boolean;
}

/** The messages of the bus, in memory that was lent for them; none where nothing is kept. */
function cutMessages(
  admitted: Admitted,
  { items, rejected, tooHeavy, bytes }: Walked,
  { signal, maxMessageBytes, isLent }: Cut,
): Buffer[] {
  const own = (part: Buffer): Buffer => {
    const copy = admitted.lend(part.length);
    copyBytes(part, copy, 0);
    return copy;
  };
  if (items === rejected) return [];
  if (bytes.length > maxMessageBytes) return split(signal, bytes, maxMessageBytes).map(own);
  return [isLent && tooHeavy === 0 ? bytes : own(bytes)];
}

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
        const { items, rejected, rejectReason, charge } = walked;
        if (charge > bytes) turn?.charged(charge - bytes);
        const isLent = room > 0 || walked.bytes !== body;
        const parts = cutMessages(admitted, walked, { signal, maxMessageBytes, isLent });
        admitted.handOver(parts);
        const job = { signal, tenant: entry.tenant, at, charge, parts };
        const { holdMs, warning } = parts.length > 0 ? await deps.publish(job) : NOTHING_PUBLISHED;
        admitted.finish();
        counters.used(entry, { signal, items: items - rejected, bytes });
        counters.leftOut(entry, walked);
        if (holdMs > 0) await sleep(holdMs);
        return { rejected, message: rejectReason || warning };
      } catch (error) {
        throw refuse(error instanceof OtlpFault ? refusalOf(error) : error, entry, { signal, body });
      }
    },
  };
}

export type Intake = ReturnType<typeof createIntake>;
