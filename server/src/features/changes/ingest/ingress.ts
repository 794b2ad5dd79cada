import { TOPICS } from '@svc/contracts/bus-topics';
import { MAX_DELIVERY_BYTES } from '@svc/contracts/changes/bounds';
import type { ChangeDelivery } from '@svc/contracts/changes/delivery';
import type { ChangeProvider, RefusalReason } from '@svc/contracts/changes/kinds';
import type { FastifyInstance } from 'fastify';
import type { Bus } from '#bus';
import { sha256, sha256Hex } from '#crypto';
import type { Clock, SignedDelivery } from '#kernel';
import { type IntakeCounts, mountReceiver, type Refusals, type WebhookCredential } from '#webhooks';
import { wordOf } from '../domain/fields.ts';
import { readBody } from '../domain/read-body.ts';
import { CHANGE_WEBHOOKS, CHANGES_PATH, type ChangeRegistry } from './kind.ts';
import { verify } from './verify.ts';

/** Of one address: what a busy forge with all its repositories sends, and enough for a program that tells of ten changes a second. */
const RATE = { perMinute: 60_000 };

export interface IngressDeps {
  registry: Pick<ChangeRegistry, 'find'>;
  refusals: Pick<Refusals<RefusalReason>, 'add'>;
  counts: IntakeCounts<RefusalReason>;
  bus: Pick<Bus, 'publish'>;
  clock: Clock;
}

const headerOf = (headers: SignedDelivery['headers'], name: string): string => {
  const value = headers[name];
  return wordOf(Array.isArray(value) ? value[0] : value, 120) ?? '';
};

/**
 * What was signed, and nothing beside it: whoever got hold of one delivery can send it again under other ids and names of events, since no
 * signature covers these headers. A body that tells of something else differs, if only in its times.
 */
const deliveryIdOf = (body: Uint8Array): string => sha256Hex(body).slice(0, 32);

const eventOf = (headers: SignedDelivery['headers']): string =>
  headerOf(headers, 'x-github-event') || headerOf(headers, 'x-gitlab-event');

/** Reads a verified delivery and keeps it durably on the bus; PostgreSQL is not asked. */
async function keep(
  { bus }: Pick<IngressDeps, 'bus'>,
  credential: WebhookCredential<ChangeProvider>,
  { headers, body, nowMs }: SignedDelivery,
): Promise<{ accepted: number }> {
  const { id: webhook, tenant, provider } = credential;
  const verified = { provider, body, contentType: String(headers['content-type'] ?? ''), event: eventOf(headers) };
  const hash = (text: string): string => sha256(text).toString('base64url').slice(0, 24);
  const { taken, ...reading } = readBody(verified, { nowMs, hash });
  const received_at = new Date(nowMs).toISOString();
  const delivery: ChangeDelivery = { webhook, provider, delivery: deliveryIdOf(body), received_at, ...reading };
  await bus.publish(TOPICS.changes, [{ tenant, value: Buffer.from(JSON.stringify(delivery)) }]);
  return { accepted: taken ?? reading.changes.length };
}

/** `POST /ingest/changes/{provider}/{id}` */
export const mountIngress = (app: FastifyInstance, { registry, refusals, counts, bus, clock }: IngressDeps): void =>
  mountReceiver(app, {
    ...{ path: CHANGES_PATH, providers: CHANGE_WEBHOOKS.providers, maxBytes: MAX_DELIVERY_BYTES, rate: RATE },
    ...{ registry, refusals, counts, verify, clock },
    keep: (credential, delivery) => keep({ bus }, credential, delivery),
    unkept: 'bus_unavailable',
  });
