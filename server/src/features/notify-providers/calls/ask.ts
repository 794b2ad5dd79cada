import type { Connection, Outcome } from '#kernel';
import type { Outbound, OutboundFailure } from '#outbound';
import type { Secrets } from '../domain/hide-secrets.ts';
import { sayOf, secretsOf } from './said.ts';

/** One call to a provider, and what every provider's answers have in common. */
export interface Question {
  url: string;
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, where the bytes are signed. */
  text?: string;
}

export interface Answered {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
  /** Undefined where the body is none. */
  json: unknown;
}

/** The part of outcomes that a call can fail with. */
export type Refused = Exclude<Outcome, { is: 'sent' | 'accepted' }>;

export type Reply = { ok: true; answer: Answered } | { ok: false; refused: Refused };

export type Ask = (to: Connection, question: Question) => Promise<Reply>;

export interface AskOptions {
  outbound: Pick<Outbound, 'send'>;
  /** Settings that are secret beside the credential. */
  secretSettings?: readonly string[];
}

function toRefused({ fault, message, mayHaveArrived }: OutboundFailure): Refused {
  // What this server's own configuration does not allow will not be allowed a minute later.
  if (fault === 'url' || fault === 'address_refused') return { is: 'broken_credential', said: message };
  // Nothing is done behind a redirect that was not followed: a login page, or an address that moved.
  if (fault === 'redirect') return { is: 'retry', afterMs: null, said: message };
  return mayHaveArrived ? { is: 'ambiguous', said: message } : { is: 'retry', afterMs: null, said: message };
}

/**
 * Of a receiver that cannot be asked without a message: that its address may be called, that it is there, and that its certificate is good.
 * Nothing is sent.
 */
export async function reach(outbound: Pick<Outbound, 'connect'>, { tenant }: Connection, address: string): Promise<Outcome> {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const to = { host, port: Number(url.port) || 443, usualPorts: [443], isSecure: true };
  const opened = await outbound.connect({ ...to, purpose: 'connector', share: tenant });
  if (!opened.ok) return toRefused(opened);
  opened.socket.destroy();
  return { is: 'sent', reference: null, said: `${url.host} is there. It cannot be asked more without posting.` };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Asks once. What comes back never holds a credential. */
export function createAsk({ outbound }: AskOptions): Ask {
  return async ({ tenant }, { url, method = 'POST', headers = {}, body, text }) => {
    const given = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const result = await outbound.send({
      url,
      purpose: 'connector',
      share: tenant,
      method,
      headers: { accept: 'application/json', ...(given === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(given === undefined ? {} : { body: given }),
    });
    if (!result.ok) return { ok: false, refused: toRefused(result) };
    const answer = result.body.toString('utf8');
    return { ok: true, answer: { status: result.status, headers: result.headers, text: answer, json: readJson(answer) } };
  };
}

const HOUR_MS = 3_600_000;

/** Retry-After, in seconds or as a date; Opsgenie's own word for it. At most an hour; null without one. */
function readRetryAfter(headers: Answered['headers'], nowMs: number): number | null {
  const given = headers['retry-after'] ?? headers['x-ratelimit-period-in-sec'];
  if (given === undefined) return null;
  const ms = /^\d+(\.\d+)?$/.test(given.trim()) ? Number(given) * 1000 : Date.parse(given) - nowMs;
  return Number.isFinite(ms) ? Math.min(HOUR_MS, Math.max(0, ms)) : null;
}

/** How a provider treats what others call an error. */
export interface Judging {
  nowMs: number;
  /** What it says, in its own shape; the status alone where it says nothing. */
  words: (answer: Answered) => string | undefined;
  /** Whether 500, 502 and 504 leave a doubt: they come from gateways whose other side may have done it. */
  doubts: boolean;
  /** Whether 404 means the object and not the address. */
  isOfObject?: boolean;
  secrets: Secrets;
}

/** What an answer that is no success comes to. */
export function judge(answer: Answered, { nowMs, words, doubts, isOfObject = false, secrets }: Judging): Refused {
  const { status, headers } = answer;
  const said = sayOf(`${status} ${words(answer) ?? ''}`.trim(), secrets);
  if (status === 429 || status === 503) return { is: 'retry', afterMs: readRetryAfter(headers, nowMs), said };
  if (status === 401 || status === 403) return { is: 'broken_credential', said };
  if (status === 408 || status === 409 || status === 423 || status === 425) return { is: 'retry', afterMs: null, said };
  if (status >= 500) return doubts ? { is: 'ambiguous', said } : { is: 'retry', afterMs: null, said };
  if ((status === 404 || status === 410) && isOfObject) return { is: 'gone', said };
  if (status >= 400) return { is: 'final', said };
  // A success without what only a success holds: a page of a sleeping instance, a login of a proxy.
  const page = `${status}, but not the answer of this provider: ${answer.text.slice(0, 120)}`;
  return doubts ? { is: 'ambiguous', said: sayOf(page, secrets) } : { is: 'retry', afterMs: null, said: sayOf(page, secrets) };
}

export { sayOf, secretsOf };

/** A value of an answer by its path; undefined where it is not there. */
export function pick(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
        ? (inner as Record<string | number, unknown>)[name]
        : undefined,
    value,
  );
}

/** As text, where it is one that says something. */
export function pickText(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = pick(value, ...path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}
