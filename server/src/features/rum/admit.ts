import { hostOfOrigin, isHostAllowed } from '@svc/contracts/rum/canonical-host';
import type { PageView } from '@svc/contracts/rum/canonical-view';
import type { RejectReason } from '@svc/contracts/rum/kinds';
import { uuidv7 } from 'uuidv7';
import { AppError } from '#kernel';
import type { RumContext } from './context.ts';
import { type BeaconFault, findKey, openBody, parseBeacon } from './domain/parse-beacon.ts';
import type { KnownKey } from './registry.ts';

/** A body as it came, at most one byte over the bound. */
export interface Delivery {
  bytes: Uint8Array;
  /** More than a beacon may have; `bytes` are its beginning. */
  isTooLarge: boolean;
  /** Compressed, which no beacon is. */
  isEncoded: boolean;
  origin: string | undefined;
}

type Context = Pick<RumContext, 'registry' | 'counters' | 'config' | 'clock'>;

/** Counts a refusal for whom it concerns and gives the error to answer it with. */
function refuse(
  { counters }: Context,
  key: KnownKey | undefined,
  fault: { reason: RejectReason; field?: string | undefined; error: AppError },
): AppError {
  if (key) counters.add({ tenant: key.tenant, app: key.app ?? '', word: fault.reason, field: fault.field });
  else counters.addUnknown();
  return fault.error;
}

const tooLarge = () => new AppError('too_large', 'A beacon has at most 16 KiB.');
const unknownKey = () => new AppError('unauthorized', 'There is no app with this key.');

const toError = ({ reason, field, message }: BeaconFault): AppError =>
  new AppError(
    reason,
    reason === 'invalid_field' ? `The field ${field ?? ''} ${message}.` : message,
    field === undefined ? {} : { faults: [{ path: field, message }] },
  );

const waitError = (waitMs: number, perMinute: number): AppError =>
  new AppError('rate_limited', `More than ${perMinute} beacons a minute with this key.`, {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });

/** A live key with room in its budget, or a counted refusal. */
function demandKey(context: Context, known: KnownKey | undefined): KnownKey {
  if (!known || !context.registry.isLive(known)) throw refuse(context, known, { reason: 'unknown_key', error: unknownKey() });
  const perMinute = known.ratePerMin ?? context.config.ratePerMin;
  const waitMs = known.bucket.take(perMinute, performance.now());
  if (waitMs > 0) throw refuse(context, known, { reason: 'over_rate', error: waitError(waitMs, perMinute) });
  return known;
}

function findPlaceFault(key: KnownKey, host: string, origin: string | undefined): BeaconFault | undefined {
  if (!isHostAllowed(key.hosts, host))
    return { reason: 'invalid_field', field: 'host', message: 'is none of the hosts of this app' };
  // Not every sender says where it is; one that does says it of the page that it is on.
  if (origin !== undefined && key.hosts.length > 0 && !isHostAllowed(key.hosts, hostOfOrigin(origin)))
    return { reason: 'invalid_field', field: 'Origin', message: 'is none of the hosts of this app' };
  return undefined;
}

/**
 * Bytes -> one view of the tenant whose key they name. A refusal is counted for the key's tenant, which is made out leniently first, and
 * thrown: 413, 401, 429, then 400 with `malformed`, `no_consent` or `invalid_field`.
 */
export function admitBeacon(context: Context, { bytes, isTooLarge, isEncoded, origin }: Delivery): PageView {
  const { registry } = context;
  if (isTooLarge) {
    const text = findKey(Buffer.from(bytes).toString('latin1'));
    throw refuse(context, text === undefined ? undefined : registry.find(text), { reason: 'too_large', error: tooLarge() });
  }
  const opened = isEncoded ? { fields: undefined, key: undefined, fault: 'It is compressed.' } : openBody(bytes);
  const known = opened.key === undefined ? undefined : registry.find(opened.key);
  const key = opened.key === undefined ? undefined : demandKey(context, known);
  const fault: ReturnType<typeof parseBeacon> = opened.fields
    ? parseBeacon(opened.fields)
    : { reason: 'malformed', message: `The beacon cannot be read: ${opened.fault}` };
  if ('reason' in fault) throw refuse(context, key, { ...fault, error: toError(fault) });
  // The schema demands a key.
  if (!key?.app) throw refuse(context, key, { reason: 'unknown_key', error: unknownKey() });
  const misplaced = findPlaceFault(key, fault.host, origin);
  if (misplaced) throw refuse(context, key, { ...misplaced, error: toError(misplaced) });
  return { ...fault, resultId: uuidv7(), tenant: key.tenant, app: key.app, receivedAtMs: context.clock.now() };
}
