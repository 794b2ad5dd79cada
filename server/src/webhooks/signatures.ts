import { constantTimeEqual, hmacSha256 } from '#crypto';
import type { NativeVerdict, SignedDelivery } from '#kernel';

/** The ways in which senders sign, over the very bytes of a delivery and before anything of them is read. */

const MOST_SIGNATURES = 10;
/** The Standard Webhooks scheme refuses what is older or newer than this. */
const TOLERANCE_MS = 5 * 60_000;
/** Begins a secret that signs by the Standard Webhooks scheme. */
export const SIGNING_TOKEN = 'whsec_';

/** Repeated headers arrive joined and match nothing. */
export function headerOf(headers: SignedDelivery['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(',') : value;
}

interface HexForm {
  header: string;
  /** Before each signature; those with another are of a version that we do not know. */
  prefix: string;
  /** Several stand there while a secret rotates: any that fits is enough. Else a second one is a fault. */
  isList?: boolean;
}

/** HMAC-SHA256 in hexadecimal digits of either case. */
export function verifyHex(secret: string, { headers, body }: SignedDelivery, { header, prefix, isList }: HexForm): NativeVerdict {
  const given = headerOf(headers, header);
  if (!given) return 'absent';
  const listed = isList ? given.split(',', MOST_SIGNATURES).map((one) => one.trim()) : [given];
  const known = listed.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
  const signatures = known.filter((one) => /^[0-9a-fA-F]{64}$/.test(one));
  if (signatures.length === 0) return 'malformed';
  const wanted = hmacSha256(secret, body);
  // All of them, so that time does not tell which one it was.
  return signatures.filter((one) => constantTimeEqual(Buffer.from(one, 'hex'), wanted)).length > 0 ? 'taken' : 'wrong';
}

/** Standard Webhooks: HMAC over `{id}.{timestamp}.{body}` in base64, one of several signatures. */
export function verifyStandard(secret: string, { headers, body, nowMs }: SignedDelivery): NativeVerdict | 'stale' {
  const [id, timestamp, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headerOf(headers, name));
  if (!given) return 'absent';
  if (!id || !timestamp || !/^\d{1,12}$/.test(timestamp)) return 'malformed';
  if (Math.abs(Number(timestamp) * 1000 - nowMs) > TOLERANCE_MS) return 'stale';
  const signatures = given.split(' ', MOST_SIGNATURES).filter((one) => one.startsWith('v1,'));
  if (signatures.length === 0) return 'malformed';
  const key = Buffer.from(secret.slice(SIGNING_TOKEN.length), 'base64');
  const wanted = hmacSha256(key, Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])).toString('base64');
  return signatures.filter((one) => constantTimeEqual(one.slice(3), wanted)).length > 0 ? 'taken' : 'wrong';
}

/** The secret itself, in the first of these headers that is there. */
export function verifyToken(
  secret: string,
  { headers }: SignedDelivery,
  names: readonly string[],
): Exclude<NativeVerdict, 'malformed'> {
  const given = names.map((name) => headerOf(headers, name)).find((value) => value !== undefined);
  if (!given) return 'absent';
  return constantTimeEqual(given, secret) ? 'taken' : 'wrong';
}

/** As a webhook's page tells of them; undefined: taken. */
export const SIGNATURE_REFUSALS = {
  taken: undefined,
  absent: 'no_signature',
  malformed: 'malformed_signature',
  wrong: 'wrong_signature',
  stale: 'stale_timestamp',
} as const;
export const TOKEN_REFUSALS = { taken: undefined, absent: 'no_token', wrong: 'wrong_token' } as const;
