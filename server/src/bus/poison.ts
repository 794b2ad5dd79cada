import type { Topic } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import { AppError, type TenantId } from '#kernel';
import { unavailable } from './message-bounds.ts';
import { type Pause, pause as realPause } from './pause.ts';
import type { BusMessage, Quarantine, SetAsideMessage, SetAsideReason } from './port.ts';
import { type Budget, createBudget, createWatched, type Watched } from './watched.ts';

const TRANSIENT: ReadonlySet<string> = new Set(['unavailable', 'query_limit', 'writer_unavailable', 'rate_limited', 'conflict']);

/** Whether a handler's failure says nothing of its messages (port.ts, BatchHandler): the same batch may go through later. */
export const isTransient = (cause: unknown): boolean => cause instanceof AppError && TRANSIENT.has(cause.code);

/** A handler that ended only after it had taken too long. */
export class HandlerLate extends Error {
  constructor(cause: unknown) {
    super('The handler took too long for this batch.', { cause });
    this.name = 'HandlerLate';
  }
}

/** Failures of one message alone, with the store well after each, until it is set aside. */
const ALONE_FAILURES = 3;
const ALONE_PAUSE_MS = 100;
/** Until then nothing is set aside while none of the group's messages goes through: the fault is hardly a message's. */
const UNWITNESSED_MS = 10 * 60_000;
const MAX_WORDS = 1000;

/** What a message's failure is told as: the sentence for callers and what lies behind it. */
function wordsOf(cause: unknown): string {
  const messages: string[] = [];
  for (let at = cause; at instanceof Error && messages.length < 4; at = at.cause) messages.push(at.message);
  return (messages.join(' ') || String(cause)).slice(0, MAX_WORDS);
}

/** The store had no memory for it, which others may have taken: fewer messages may fit, and one is never at fault for it. */
const isStarved = (cause: unknown): boolean => cause instanceof AppError && cause.code === 'too_large';

function reasonOf(cause: unknown): SetAsideReason {
  if (cause instanceof HandlerLate) return 'timed_out';
  return cause instanceof AppError ? 'refused' : 'failed';
}

export interface GuardOptions {
  topic: Topic;
  group: string;
  partition: number;
  quarantine: Quarantine;
  probe?: (() => Promise<void>) | undefined;
  searchMs?: number | undefined;
  isOurs?: (() => boolean) | undefined;
  witness: Witness;
  signal: AbortSignal;
  log: FastifyBaseLogger;
  pause?: Pause | undefined;
}

/** When a group last handled anything in this process, of whichever partition (performance.now). */
export interface Witness {
  handledAt: number;
}

type Messages = readonly BusMessage[];

interface Why {
  reason: SetAsideReason;
  error: string;
}

/** Finds the messages of a partition on which its handler always fails, and sets them aside. */
export interface Guard {
  /** Messages in hand failed by what may be their fault. */
  suspect(): void;
  /** Whether messages were settled since it was asked last. */
  hasProgressed(): boolean;
  /** True while messages are to be settled instead of handed over as they come. */
  isWatching(): boolean;
  /**
   * Resolves when every message is handled or set aside; rejects with what is no message's fault, or where it cannot be told. What was settled
   * by then is not handed over again when the same messages come again.
   */
  settle(messages: Messages, hand: (messages: Messages) => Promise<void>): Promise<void>;
  /** As BusBatch. */
  setAside(messages: Messages, reason: SetAsideReason): Promise<void>;
}

type Hand = (messages: Messages) => Promise<void>;

interface Search {
  options: GuardOptions;
  watched: Watched;
  budget: Budget;
  /** Offsets of the messages in hand that were handled or set aside. */
  settled: Set<bigint>;
  /** Messages that failed alone while nothing went through yet. */
  postponed: BusMessage[];
  /** Why the store had no memory for messages in hand, the first time; they come again. */
  starved: unknown;
  /** Since when messages in hand fail (performance.now). */
  since: number;
  hand: Hand;
}

async function put(options: GuardOptions, messages: Messages, { reason, error }: Why): Promise<void> {
  const { topic, group, partition, isOurs, quarantine, log } = options;
  if (isOurs?.() === false) throw new AppError('conflict', 'The partition may be another process’s by now.');
  const words = error.replaceAll('\0', '');
  try {
    await quarantine.put(
      messages.map(({ tenant, value, headers, offset }): SetAsideMessage => {
        return { topic, group, partition, offset, tenant, headers, value, reason, error: words };
      }),
    );
  } catch (cause) {
    throw isTransient(cause) ? cause : unavailable('A message could not be set aside.', 5, cause);
  }
  const [first] = messages;
  const where = { topic, group, partition, tenant: first?.tenant, offset: String(first?.offset) };
  log.warn({ ...where, messages: messages.length, reason, error: words }, 'bus: messages were set aside');
}

async function ensureWell({ probe, signal }: GuardOptions): Promise<void> {
  signal.throwIfAborted();
  try {
    await probe?.();
  } catch (cause) {
    throw isTransient(cause) ? cause : unavailable('The store does not take what is known to be good.', 5, cause);
  }
  signal.throwIfAborted();
}

/** Why the messages could not be handled, where that may be their fault; undefined when they were. */
async function tryHand({ options, hand, settled }: Search, messages: Messages): Promise<{ cause: unknown } | undefined> {
  const { signal } = options;
  signal.throwIfAborted();
  try {
    await hand(messages);
  } catch (cause) {
    signal.throwIfAborted();
    if (isTransient(cause)) throw cause;
    return { cause };
  }
  for (const { offset } of messages) settled.add(offset);
  options.witness.handledAt = performance.now();
  return undefined;
}

/** Where every message fails, the handler or its store is at fault until somebody looks: the messages wait, and are tried as others come. */
export class Unwitnessed extends AppError {
  constructor() {
    super('unavailable', 'No message of this group goes through: none is set aside for now.', { retryAfterSeconds: 1 });
    this.name = 'Unwitnessed';
  }
}

const isWitnessed = ({ options, since }: Search): boolean =>
  options.witness.handledAt >= since || performance.now() - since > UNWITNESSED_MS;

/** Tries one message by itself, until it is handled or proven to be at fault; it is postponed while that cannot be told. */
async function settleOne(search: Search, message: BusMessage): Promise<void> {
  const { options, watched, settled, postponed } = search;
  const { pause = realPause } = options;
  for (let failures = 1; ; failures++) {
    const failed = await tryHand(search, [message]);
    if (!failed) return;
    if (isStarved(failed.cause)) {
      search.starved ??= failed.cause;
      return;
    }
    await ensureWell(options);
    const isProven = failures >= ALONE_FAILURES;
    // After the first that fails like this, one that goes through is looked for.
    if (!isWitnessed(search) && (isProven || postponed.length > 0)) {
      postponed.push(message);
      return;
    }
    if (isProven) {
      await put(options, [message], { reason: reasonOf(failed.cause), error: wordsOf(failed.cause) });
      settled.add(message.offset);
      watched.note(message.tenant, 1);
      return;
    }
    if (!watched.isProven(message.tenant)) await pause(ALONE_PAUSE_MS * 2 ** (failures - 1), options.signal);
  }
}

/** Whether the search has taken its time, and has shown enough of this tenant to set the rest aside as well. */
function isEnough({ budget, watched }: Search, tenant: TenantId, began: number): boolean {
  return budget.isSpent(began) && watched.isProven(tenant);
}

async function putUnexamined({ options, settled, watched }: Search, messages: Messages): Promise<void> {
  await ensureWell(options);
  await put(options, messages, { reason: 'not_examined', error: 'Too many messages of this tenant were set aside just before.' });
  for (const { offset, tenant } of messages) {
    settled.add(offset);
    watched.note(tenant, 0);
  }
}

/** Messages that failed together, and why. */
interface Failed {
  messages: Messages;
  cause: unknown;
}

/** Settles messages of one tenant that failed together. What its faults cost the partition is bounded: beyond that they are set aside together. */
async function divide(search: Search, { messages, cause }: Failed, began: number): Promise<void> {
  const first = messages[0] as BusMessage;
  if (messages.length === 1) return await settleOne(search, first);
  if (search.budget.isSpent(began) && isStarved(cause)) {
    search.starved ??= cause;
    return;
  }
  if (search.budget.isSpent(began) && !isWitnessed(search)) throw new Unwitnessed();
  if (isEnough(search, first.tenant, began)) return await putUnexamined(search, messages);
  const middle = messages.length >> 1;
  for (const half of [messages.slice(0, middle), messages.slice(middle)]) {
    const failed = half.length === 1 ? { cause } : await tryHand(search, half);
    if (failed) await divide(search, { messages: half, cause: failed.cause }, began);
  }
}

async function settlePostponed(search: Search, began: number): Promise<void> {
  const messages = search.postponed.splice(0);
  if (messages.length > 0 && !isWitnessed(search)) throw new Unwitnessed();
  for (const [i, message] of messages.entries()) {
    if (isEnough(search, message.tenant, began)) {
      const rest = messages.slice(i).filter(({ tenant, offset }) => tenant === message.tenant && !search.settled.has(offset));
      if (rest.length > 0) await putUnexamined(search, rest);
    } else await settleOne(search, message);
  }
}

const of = (messages: Messages, tenants: readonly TenantId[]): Messages =>
  messages.filter(({ tenant }) => tenants.includes(tenant));

/** Hands over what goes through of these tenants, together as far as it does together; gives those of each tenant of which something fails. */
async function findAtFault(search: Search, messages: Messages, tenants: readonly TenantId[]): Promise<Failed[]> {
  const failed = messages.length > 0 ? await tryHand(search, messages) : undefined;
  if (!failed) return [];
  if (tenants.length === 1) return [{ messages, cause: failed.cause }];
  const middle = tenants.length >> 1;
  const [left, right] = [tenants.slice(0, middle), tenants.slice(middle)];
  const found = await findAtFault(search, of(messages, left), left);
  return [...found, ...(await findAtFault(search, of(messages, right), right))];
}

export function createGuard(options: GuardOptions): Guard {
  const parts = { options, watched: createWatched(), budget: createBudget(options.searchMs), settled: new Set<bigint>() };
  const { watched, budget, settled } = parts;
  let before = 0;
  let since: number | undefined;
  const suspect = (): void => {
    since ??= performance.now();
  };
  return {
    suspect,
    hasProgressed() {
      const has = settled.size > before;
      before = settled.size;
      return has;
    },
    isWatching: () => !watched.isEmpty(),
    async settle(messages, hand) {
      suspect();
      const open = messages.filter(({ offset }) => !settled.has(offset));
      const tenants = [...new Set(open.map(({ tenant }) => tenant))];
      const search: Search = { ...parts, postponed: [], starved: undefined, since: since ?? 0, hand };
      // All others first; those that are watched come last, each by itself.
      const trusted = tenants.filter((tenant) => !watched.has(tenant));
      const atFault = await findAtFault(search, of(open, trusted), trusted);
      for (const tenant of tenants.filter(watched.has))
        atFault.push(...(await findAtFault(search, of(open, [tenant]), [tenant])));
      for (const failed of atFault) await budget.spend((began) => divide(search, failed, began));
      await budget.spend((began) => settlePostponed(search, began));
      if (search.starved) throw unavailable('The store has too little memory for a message.', 5, search.starved);
      settled.clear();
      since = undefined;
    },
    async setAside(messages, reason) {
      if (messages.length === 0) return;
      // The memory of the values may be lent.
      const copies = messages.map((message) => ({ ...message, value: Buffer.from(message.value) }));
      await put(options, copies, { reason, error: 'Not what this topic carries.' });
    },
  };
}
