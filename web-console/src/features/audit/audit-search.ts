import { textOf } from '../../ui/address/search-params.ts';

/** What a link to the audit page carries. */
export interface AuditSearch {
  /** noun.verb, or a noun for all of its verbs. */
  action?: string | undefined;
  /** Id of an actor. */
  actor?: string | undefined;
  /** Days as the viewer's calendar has them, YYYY-MM-DD; the last one counts in full. */
  from?: string | undefined;
  to?: string | undefined;
}

const MAX_ACTION = 100;
const MAX_ACTOR = 200;

/** Whether the server takes it for an action. */
export const isAction = (text: string): boolean =>
  text.length <= MAX_ACTION && /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$/.test(text);

/** A day that the calendar has: not the 31st of February. */
function dayOf(value: unknown): string | undefined {
  const text = textOf(value);
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? text : undefined;
}

/** Decodes the URL; what is not known is left out. */
export function decodeAuditSearch(raw: Record<string, unknown>): AuditSearch {
  const action = textOf(raw.action);
  const actor = textOf(raw.actor);
  const [from, to] = [dayOf(raw.from), dayOf(raw.to)];
  return {
    ...(action !== undefined && isAction(action) ? { action } : {}),
    ...(actor !== undefined && actor.length <= MAX_ACTOR ? { actor } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  };
}

/** The days as instants of the viewer's zone. */
export function toWindow({ action, actor, from, to }: AuditSearch): AuditSearch {
  const start = from ? new Date(`${from}T00:00:00`) : undefined;
  const end = to ? new Date(`${to}T00:00:00`) : undefined;
  end?.setDate(end.getDate() + 1);
  return {
    ...(action ? { action } : {}),
    ...(actor ? { actor } : {}),
    ...(start ? { from: start.toISOString() } : {}),
    ...(end ? { to: end.toISOString() } : {}),
  };
}
