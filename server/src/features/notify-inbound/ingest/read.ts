import { PortableNews } from '@svc/contracts/notify/inbound';
import { sha256Hex } from '#crypto';
import type { NativeReader, NativeReading, ObjectNews, SignedDelivery } from '#kernel';
import { headerOf } from '#webhooks';
import { TOKEN_HEADER } from './verify.ts';

type Delivered = Pick<SignedDelivery, 'headers' | 'body'>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const BECAME: Readonly<Record<string, ObjectNews['became']>> = {
  ...{ resolved: 'resolved', closed: 'resolved', acknowledged: 'acknowledged', reopened: 'reopened', open: 'reopened' },
};
const OWN_IDS = ['x-svc-delivery', 'idempotency-key'];
const MAX_ID = 200;

const nothing = (reason: string, event = ''): NativeReading => ({
  ...{ delivery: null, event, outcome: 'not_understood', news: [], reason, needsNames: null },
});

function readPortable(body: Record<string, unknown>): NativeReading {
  const parsed = PortableNews.safeParse(body);
  if (!parsed.success) return nothing('the portable contract wants external_ref and status as text', 'portable');
  const { external_ref: key, status, occurred_at: at, by } = parsed.data;
  const became = BECAME[status.trim().toLowerCase()];
  if (!became) return nothing(`status not understood: ${status.slice(0, 64)}`, 'portable');
  const atMs = at === undefined ? null : Date.parse(at);
  const news: ObjectNews = { names: [{ key }], became, order: null, atMs, by: by ?? null };
  return { delivery: null, event: status.slice(0, 64), outcome: 'news', news: [news], reason: '', needsNames: null };
}

function readBody(reader: Pick<NativeReader, 'read'>, body: Uint8Array): NativeReading {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return nothing('the body is no JSON');
  }
  return isObject(value) && 'external_ref' in value ? readPortable(value) : reader.read(value);
}

/**
 * What makes a delivery the same as one before; null: nothing. Without a token it is signed, and then nothing beside the body counts: whoever
 * got hold of one can send it again under other ids, since no signature covers a header. Whoever has the token could send anything anyhow.
 */
function sameAs({ headers, body }: Delivered, reading: NativeReading, idHeader = ''): string | null {
  if (reading.delivery !== null) return reading.delivery.slice(0, MAX_ID);
  if (!headerOf(headers, TOKEN_HEADER)) return `sha256:${sha256Hex(body)}`;
  const named = [...OWN_IDS, idHeader].map((name) => headerOf(headers, name)).find(Boolean);
  return named?.slice(0, MAX_ID) ?? null;
}

/** A verified body, in the portable contract or the provider's own shape. Never throws: what it does not understand it says. */
export function readDelivery(reader: Pick<NativeReader, 'read' | 'idHeader'>, delivered: Delivered): NativeReading {
  const reading = readBody(reader, delivered.body);
  return { ...reading, delivery: sameAs(delivered, reading, reader.idHeader) };
}
