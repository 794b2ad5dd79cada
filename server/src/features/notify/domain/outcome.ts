import type { Verb } from '@svc/contracts/notify/kinds';
import type { LinkState, MessageState } from '@svc/contracts/notify/outbox';
import type { Outcome, Reference } from '#kernel';
import { connectorWait, messageWait } from './waits.ts';

/** What becomes of a message. */
export interface MessageChange {
  verb: Verb;
  state: MessageState;
  why: string;
  said: string;
  inDoubt: boolean;
  request: string | null;
  /** Of one that is tried or asked about again. */
  dueMs: number | null;
  /** The attempt does not count: nothing left this server. */
  isUncounted: boolean;
}

export interface LinkFields {
  state: LinkState;
  generation: number;
  reference: Reference | null;
  former: Reference | null;
  openedMs: number | null;
  acknowledgedMs: number | null;
  resolvedMs: number | null;
  note: string;
  /** It was resolved there first. */
  isOrigin: boolean;
}

/** What is known of the connector from then on. */
export type ConnectorChange =
  | { is: 'answered'; isSuccess: boolean; said: string }
  | { is: 'failing'; failures: number; waitMs: number; said: string }
  | { is: 'broken'; said: string };

export interface Tried {
  verb: Verb;
  attempts: number;
  expiresMs: number;
  failures: number;
  nowMs: number;
  isNew: boolean;
  /** An attempt before may have been taken: a refusal of this one says nothing of that. */
  wasInDoubt: boolean;
}

const KEEP = { why: '', inDoubt: false, request: null, dueMs: null, isUncounted: false } as const;

/** The link after something was done for it. One that was resolved there since stays so, whatever was on its way meanwhile. */
export function linkAfter(
  link: LinkFields,
  { verb, isNew, nowMs }: Pick<Tried, 'verb' | 'isNew' | 'nowMs'>,
  reference: Reference | null,
): LinkFields {
  const isOver = link.isOrigin && link.state === 'resolved';
  const opened = { state: isOver ? ('resolved' as const) : ('open' as const), resolvedMs: isOver ? link.resolvedMs : null };
  if (isNew)
    return { ...link, ...opened, generation: link.generation + 1, reference, former: link.reference, openedMs: nowMs, note: '' };
  if (verb === 'open') return { ...link, ...(link.state === 'waiting' ? opened : {}), reference, openedMs: nowMs };
  const kept = { ...link, reference: reference ?? link.reference };
  if (verb === 'reopen') return { ...kept, ...opened, note: '' };
  if (verb === 'resolve') return { ...kept, state: 'resolved', resolvedMs: nowMs };
  return kept;
}

/** What is still to be done after a try that failed: an object of the next generation is not one that was opened for the first time. */
const still = ({ verb, isNew }: Tried): Verb => (isNew ? 'reopen' : verb);

function afterFailure(tried: Tried, outcome: Extract<Outcome, { is: 'retry' | 'ambiguous' }>): MessageChange {
  const { attempts, expiresMs, nowMs, wasInDoubt } = tried;
  const [afterMs, mayBeTaken] = outcome.is === 'retry' ? [outcome.afterMs, outcome.isBegun === true] : [null, true];
  const dueMs = nowMs + messageWait(attempts, afterMs);
  const base = { ...KEEP, verb: still(tried), said: outcome.said, inDoubt: mayBeTaken || wasInDoubt };
  if (nowMs >= expiresMs) return { ...base, state: 'dead', why: 'it was not taken within a day' };
  return { ...base, state: 'waiting', dueMs };
}

/** What an outcome makes of a message; `isGone`: of its object. */
export function messageAfter(tried: Tried, outcome: Outcome): { message: MessageChange; isGone: boolean; isDone: boolean } {
  const { verb, nowMs, wasInDoubt } = tried;
  const base = { ...KEEP, verb, said: outcome.said };
  switch (outcome.is) {
    case 'sent':
      return { message: { ...base, state: 'sent' }, isGone: false, isDone: true };
    case 'accepted': {
      const asks = outcome.request !== null;
      const message = { ...base, state: asks ? ('confirming' as const) : ('accepted' as const), request: outcome.request };
      return { message: { ...message, dueMs: asks ? nowMs + 1000 : null }, isGone: false, isDone: true };
    }
    case 'retry':
    case 'ambiguous':
      return { message: afterFailure(tried, outcome), isGone: false, isDone: false };
    case 'gone':
    case 'final':
      // What was to be opened again is opened anew instead.
      if (verb === 'reopen')
        return { message: { ...base, verb: 'open', state: 'waiting', dueMs: nowMs }, isGone: true, isDone: false };
      if (outcome.is === 'gone' && verb !== 'open')
        return { message: { ...base, state: 'dropped', why: 'it is not there any more' }, isGone: true, isDone: false };
      return { message: { ...base, state: 'dead', why: 'the provider refuses it' }, isGone: false, isDone: false };
    case 'broken_credential':
      return {
        message: { ...base, verb: still(tried), state: 'waiting', dueMs: nowMs, isUncounted: true, inDoubt: wasInDoubt },
        isGone: false,
        isDone: false,
      };
  }
}

export function connectorAfter({ failures }: Pick<Tried, 'failures'>, outcome: Outcome): ConnectorChange {
  const { is, said } = outcome;
  if (is === 'broken_credential') return { is: 'broken', said };
  if (is !== 'retry' && is !== 'ambiguous') return { is: 'answered', isSuccess: is === 'sent' || is === 'accepted', said };
  const now = failures + 1;
  return { is: 'failing', failures: now, waitMs: connectorWait(now, is === 'retry' ? outcome.afterMs : null), said };
}
