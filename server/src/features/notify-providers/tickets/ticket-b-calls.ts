import type { Connection, Reference } from '#kernel';
import {
  type Answered,
  createAsk,
  judge,
  pick,
  pickText,
  type Question,
  type Refused,
  type Reply,
  secretsOf,
} from '../calls/ask.ts';
import { again, type ProviderDeps } from '../context.ts';

/** Calls to Jira's REST v2. */

export interface Issue {
  id: string;
  key: string;
  status: string;
  category: string;
}

export interface Transition {
  id: string;
  name: string;
  toName: string;
  category: string;
  /** Fields that its screen demands and that have no value by themselves. */
  demands: readonly string[];
}

const authorizationOf = ({ credential }: Connection): string =>
  credential.includes(':') ? `Basic ${Buffer.from(credential).toString('base64')}` : `Bearer ${credential}`;

/** Jira lists what it has against each field. */
export const wordsOf = ({ json }: Answered): string | undefined => {
  const messages = pick(json, 'errorMessages');
  const errors = Object.entries((pick(json, 'errors') ?? {}) as Record<string, unknown>).map(
    ([name, words]) => `${name}: ${words}`,
  );
  return [...(Array.isArray(messages) ? messages : []), ...errors].map(String).join('; ') || undefined;
};

/** The fields that a refusal names. */
export const refusedFields = ({ status, json }: Answered): readonly string[] =>
  status === 400 ? Object.keys((pick(json, 'errors') ?? {}) as object) : [];

export const referenceOf = (to: Connection, { id, key }: Pick<Issue, 'id' | 'key'>): Reference => ({
  ...{ id, label: key },
  url: `${to.url}/browse/${encodeURIComponent(key)}`,
});

function readTransition(given: unknown): Transition[] {
  const [id, name] = [pickText(given, 'id'), pickText(given, 'name')];
  if (id === undefined) return [];
  const fields = Object.entries((pick(given, 'fields') ?? {}) as Record<string, unknown>);
  const demands = fields.filter(([, field]) => pick(field, 'required') === true && pick(field, 'hasDefaultValue') !== true);
  const category = pickText(given, 'to', 'statusCategory', 'key') ?? '';
  return [
    { id, name: name ?? id, toName: pickText(given, 'to', 'name') ?? '', category, demands: demands.map(([field]) => field) },
  ];
}

/** An account whose logins are refused, for example until somebody solves a captcha. */
const isDenied = ({ headers }: Answered): boolean =>
  'x-authentication-denied-reason' in headers || /denied/i.test(headers['x-seraph-loginreason'] ?? '');

export type Known<T> = { ok: true; value: T } | { ok: false; refused: Refused };

export function createCalls({ outbound, now }: ProviderDeps) {
  const rawAsk = createAsk({ outbound });
  const ask = (to: Connection, { url, ...rest }: Question): Promise<Reply> =>
    rawAsk(to, {
      ...{ ...rest, url: `${to.url}/rest/api/2${url}` },
      // Else errors come in the language of the account.
      headers: { authorization: authorizationOf(to), 'accept-language': 'en' },
    });
  const refuse = (to: Connection, answer: Answered, doubts = false): Refused =>
    judge(answer, { nowMs: now(), words: wordsOf, doubts, secrets: secretsOf(to) });
  /** Of one issue: 403 is a place where a person has moved it, and not the account. */
  const refuseIssue = (to: Connection, answer: Answered, doubts = false): Refused => {
    const isOfIssue = (answer.status === 404 && wordsOf(answer) !== undefined) || (answer.status === 403 && !isDenied(answer));
    const refused = refuse(to, answer, doubts);
    return isOfIssue ? { is: 'gone', said: refused.said } : refused;
  };
  const look = async (to: Connection, id: string): Promise<Known<Issue>> => {
    const reply = await ask(to, { url: `/issue/${encodeURIComponent(id)}?fields=status`, method: 'GET' });
    if (!reply.ok) return { ok: false, refused: reply.refused.is === 'ambiguous' ? again(reply.refused.said) : reply.refused };
    const { status, json } = reply.answer;
    const category = pickText(json, 'fields', 'status', 'statusCategory', 'key');
    if (status !== 200 || category === undefined) return { ok: false, refused: refuseIssue(to, reply.answer) };
    const name = pickText(json, 'fields', 'status', 'name') ?? category;
    return { ok: true, value: { id: pickText(json, 'id') ?? id, key: pickText(json, 'key') ?? id, status: name, category } };
  };
  const listTransitions = async (to: Connection, id: string): Promise<Known<readonly Transition[]>> => {
    const reply = await ask(to, { url: `/issue/${id}/transitions?expand=transitions.fields`, method: 'GET' });
    if (!reply.ok) return { ok: false, refused: reply.refused.is === 'ambiguous' ? again(reply.refused.said) : reply.refused };
    const listed = reply.answer.status === 200 ? pick(reply.answer.json, 'transitions') : undefined;
    if (!Array.isArray(listed)) return { ok: false, refused: refuseIssue(to, reply.answer) };
    return { ok: true, value: listed.flatMap(readTransition) };
  };
  return { ask, refuse, refuseIssue, look, listTransitions, now };
}

export type Calls = ReturnType<typeof createCalls>;
