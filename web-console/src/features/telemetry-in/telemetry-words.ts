import type { OtlpStatus } from '../../api-types.ts';
import { formatCount, joinWords, plural } from '../../ui/format.ts';

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
};

/** Why something was refused, in words; the machine word where there are none. */
export const describeReason = (reason: string): string => REASONS[reason] ?? reason.replaceAll('_', ' ');

/** How receiving goes, in a sentence. */
export function describeReceiving({ listeners, signals, accepted_per_second: rate, valid_tokens: tokens }: OtlpStatus): string {
  if (listeners.every(({ address }) => address === null)) return 'The receiver is off: nothing can send telemetry here.';
  const came = signals.filter(({ last_at }) => last_at !== null).map(({ signal }) => signal);
  if (came.length === 0)
    return tokens === 0 ? 'Waiting for first data: mint a token, then point a sender here.' : 'Waiting for first data.';
  const missing = signals.filter(({ last_at }) => last_at === null).map(({ signal }) => signal);
  const now =
    rate === null || rate < 0.5
      ? 'Nothing is coming at this moment'
      : `Receiving ${formatCount(Math.round(rate))} items a second`;
  return missing.length === 0 ? `${now}.` : `${now}; no ${joinWords(missing)} yet.`;
}

const MIB = 2 ** 20;

/** Where there is no column store: what that means for what comes in. */
export function describeMemory({ max_bytes, dropped }: NonNullable<OtlpStatus['memory']>): string {
  const counts = [
    [dropped.traces, 'span'],
    [dropped.logs, 'record'],
    [dropped.metrics, 'point'],
  ] as const;
  const gone = counts.filter(([count]) => count > 0).map(([count, noun]) => plural(count, noun));
  const room = gone.length > 0 ? ` To make room ${joinWords(gone)} went before their time.` : '';
  return `There is no column store: what comes in is kept in memory, at most ${Math.round(max_bytes / MIB)} MiB, and is lost when the server stops.${room}`;
}
