import type { IncidentState } from '@svc/contracts/incidents/incident';
import type { Verb } from '@svc/contracts/notify/kinds';
import type { LinkState } from '@svc/contracts/notify/outbox';
import type { Capabilities } from '#kernel';

export interface StepMessage {
  verb: Verb;
  isConfirming: boolean;
  /** The attempt before may have been taken. */
  inDoubt: boolean;
  isDelayed: boolean;
  isExpired: boolean;
}

export interface StepSituation {
  link: { state: LinkState; hasReference: boolean };
  incident: { status: IncidentState; openSignalCount: number };
  capabilities: Capabilities;
}

export type Step =
  /** `isNew`: an object of the next generation, for an incident that opened again. */
  | { do: 'send'; verb: Verb; isNew: boolean; isPossibleRepeat: boolean }
  /** Looks whether the object is there before it is made again; `isOver`: it is not made any more. */
  | { do: 'find'; isNew: boolean; isOver: boolean }
  | { do: 'confirm' }
  /** It may be there: what follows is sent. */
  | { do: 'assume'; why: string; isNew: boolean }
  | { do: 'drop'; why: string; isUntold: boolean }
  | { do: 'expire' };

/** Why an object is taken for made that nobody saw; whoever opens it again says it anew. */
export const ASSUMED = 'it may have been taken; the incident is resolved';
const UNOPENED = 'it was never opened there';
export const ACKNOWLEDGED = 'it was acknowledged before it was sent';
export const MAY_BE_CLOSED = 'it may have been closed there';

const drop = (why: string, isUntold = false): Step => ({ do: 'drop', why, isUntold });

/** Why an open of which nothing left this server is not sent any more; undefined: it is. */
export function whyUntold(isDelayed: boolean, { status, openSignalCount }: StepSituation['incident']): string | undefined {
  if (status === 'resolved') return 'the incident was resolved before it was sent';
  if (isDelayed && openSignalCount === 0) return 'it recovered within the delay';
  return isDelayed && status === 'acknowledged' ? ACKNOWLEDGED : undefined;
}

function opening({ inDoubt, isDelayed }: StepMessage, { incident, capabilities }: StepSituation, isNew: boolean): Step {
  const isOver = incident.status === 'resolved';
  if (!inDoubt) {
    const why = whyUntold(isDelayed, incident);
    return why === undefined ? { do: 'send', verb: 'open', isNew, isPossibleRepeat: false } : drop(why, !isNew);
  }
  if (capabilities.canBeFound) return { do: 'find', isNew, isOver };
  if (isOver) return { do: 'assume', why: ASSUMED, isNew };
  return { do: 'send', verb: 'open', isNew, isPossibleRepeat: !capabilities.hasKey };
}

function reopening(message: StepMessage, situation: StepSituation): Step {
  const { link, incident, capabilities } = situation;
  const isSame = capabilities.reopens === 'same' && link.state !== 'gone' && (link.hasReference || capabilities.hasKey);
  if (!isSame) return opening(message, situation, true);
  if (incident.status === 'resolved') {
    // It may be open there again: what follows closes it.
    if (message.inDoubt) return { do: 'assume', why: ASSUMED, isNew: false };
    return drop('the incident was resolved before it was sent');
  }
  return { do: 'send', verb: 'reopen', isNew: false, isPossibleRepeat: message.inDoubt && !capabilities.hasKey };
}

/** What is done about a message now. Pure: the incident and the link decide as they are, not as they were when it was written. */
export function nextStep(message: StepMessage, situation: StepSituation): Step {
  const { verb, inDoubt } = message;
  const { link, incident, capabilities } = situation;
  if (message.isConfirming) return { do: 'confirm' };
  if (message.isExpired) return { do: 'expire' };
  // Of one that was to be opened again and could not be.
  if (verb === 'open') return opening(message, situation, link.state === 'gone');
  if (verb === 'reopen') return reopening(message, situation);
  if (link.state !== 'open') {
    const words = { waiting: UNOPENED, dropped: UNOPENED, gone: 'it is not there any more', resolved: 'it is resolved there' };
    return drop(words[link.state]);
  }
  const send: Step = { do: 'send', verb, isNew: false, isPossibleRepeat: inDoubt && !capabilities.hasKey };
  if (verb === 'resolve') return incident.status === 'resolved' ? send : drop('the incident was opened again');
  if (incident.status === 'resolved') return drop('the incident was resolved');
  if (verb === 'acknowledge' && incident.status === 'open') return drop('it is not acknowledged any more');
  return send;
}
