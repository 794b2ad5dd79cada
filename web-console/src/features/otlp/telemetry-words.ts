import type { OtlpStatus, OtlpToken, SetAside } from '../../api-types.ts';
import { formatBytes, formatCount, joinWords, plural } from '../../ui/words/format.ts';

const REASONS: Readonly<Record<string, string>> = {
  missing_token: 'No token',
  unknown_token: 'Unknown token',
  expired_token: 'Expired token',
  revoked_token: 'Revoked token',
  wrong_tenant: 'Names another tenant',
  malformed: 'Not OTLP',
  too_large: 'Too large',
  unsupported: 'Unsupported encoding',
  not_found: 'No such path',
  timeout: 'Came too slowly',
  busy: 'Too much at once; may be sent again',
  unavailable: 'Could not be kept for now; may be sent again',
  internal: 'Our fault',
  out_of_time: 'Too old, or of the future',
  too_heavy: 'Too large once stored',
};

/** Why something was refused, in words; the machine word where there are none. */
export const describeReason = (reason: string): string => REASONS[reason] ?? reason.replaceAll('_', ' ');

/** Reasons that leave records out of a request that is accepted; all others refuse a request as a whole. */
const OF_RECORDS = new Set(['out_of_time', 'too_heavy']);

/** How much was refused, in the unit in which its reason is counted. */
export const describeRefused = ({ reason, count }: { reason: string; count: number }): string =>
  plural(count, OF_RECORDS.has(reason) ? 'record' : 'request');

/** How receiving goes, in a sentence. */
export function describeReceiving({ listeners, signals, accepted_per_second: rate, valid_tokens: tokens }: OtlpStatus): string {
  if (listeners.every(({ address }) => address === null)) return 'The receiver is off: nothing can send telemetry here.';
  const came = signals.filter(({ last_at }) => last_at !== null).map(({ signal }) => signal);
  if (came.length === 0)
    return tokens === 0 ? 'Waiting for first data: create a token, then point a sender here.' : 'Waiting for first data.';
  const missing = signals.filter(({ last_at }) => last_at === null).map(({ signal }) => signal);
  const now =
    rate === null || rate < 0.5
      ? 'Nothing is coming at this moment'
      : `Receiving ${formatCount(Math.round(rate))} items per second`;
  return missing.length === 0 ? `${now}.` : `${now}; no ${joinWords(missing)} yet.`;
}

const MIB = 2 ** 20;

type Reason = SetAside['items'][number]['reason'];

const SET_ASIDE: Readonly<Record<Reason, { why: string; todo: string }>> = {
  refused: { why: 'The store refused it', todo: 'Tell your operator; retry it after the next update.' },
  failed: { why: 'The server failed on it', todo: 'Tell your operator; retry it after the next update.' },
  timed_out: { why: 'The server took too long for it', todo: 'Tell your operator; retry it when the server is less busy.' },
  not_examined: { why: 'Not tried: too many others had failed', todo: 'Stop what sends the others, then have it retried.' },
  not_otlp: { why: 'Not an OTLP request', todo: 'Nothing: it can be dropped.' },
  not_a_result: { why: 'Not a result', todo: 'Nothing: it can be dropped.' },
};

/** Why a message was set aside, and what there is to do about it. */
export const describeSetAside = (reason: Reason): { why: string; todo: string } => SET_ASIDE[reason];

/** As the command line and the documents count it. */
const inMib = (bytes: number): string => (bytes < MIB / 10 ? formatBytes(bytes) : `${Number((bytes / MIB).toFixed(1))} MiB`);

/** What is kept of what was set aside, and what had to go. */
export function describeKept({ kept, bound, dropped }: Pick<SetAside, 'kept' | 'bound' | 'dropped'>): string {
  const now = `${plural(kept.messages, 'message')}, ${inMib(kept.bytes)}, of at most ${formatCount(bound.messages)} and ${inMib(bound.bytes)}`;
  return dropped.messages === 0
    ? `${now}.`
    : `${now}; ${plural(dropped.messages, 'older message')} went to make room this month.`;
}

/** Who created a token; '' where its creator has left no name. */
export function describeCreator({ id, name }: OtlpToken['created_by']): string {
  if (name) return ` by ${name}`;
  return id === 'cli' ? ' on the server’s command line' : '';
}
