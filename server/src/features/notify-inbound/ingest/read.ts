import { PortableNews } from '@svc/contracts/notify/inbound';
import type { NativeReader, NativeReading, ObjectNews, SignedDelivery } from '#kernel';

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

/** The sender's own id of a delivery: the same on each attempt. Null: none. */
function deliveryOf({ headers }: Pick<SignedDelivery, 'headers'>, reading: NativeReading): string | null {
  const own = OWN_IDS.map((name) => headers[name]).find((value) => typeof value === 'string' && value !== '');
  return (reading.delivery ?? (typeof own === 'string' ? own : null))?.slice(0, MAX_ID) ?? null;
}

/** A verified body, in the portable contract or the provider's own shape. Never throws: what it does not understand it says. */
export function readDelivery(
  reader: Pick<NativeReader, 'read'>,
  { headers, body }: Pick<SignedDelivery, 'headers' | 'body'>,
): NativeReading {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return { ...nothing('the body is no JSON'), delivery: null };
  }
  const reading = isObject(value) && 'external_ref' in value ? readPortable(value) : reader.read(value, headers);
  return { ...reading, delivery: deliveryOf({ headers }, reading) };
}
