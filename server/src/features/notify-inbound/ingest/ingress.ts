import { setTimeout as sleep } from 'node:timers/promises';
import { type InboundRefusal, MAX_INBOUND_BYTES } from '@svc/contracts/notify/inbound';
import type { FastifyInstance } from 'fastify';
import type { SignedDelivery } from '#kernel';
import { type IntakeCounts, mountReceiver, type Refusals } from '#webhooks';
import type { InboundDeps } from '../context.ts';
import { applyDelivery, readWaiting, storeDelivery } from './deliveries.ts';
import { INBOUND_PATH, INBOUND_WEBHOOKS, type InboundCredential, type InboundRegistry } from './kind.ts';
import { readDelivery } from './read.ts';
import { verify } from './verify.ts';

/** Of one address: a ticket system that tells of every edit. */
const RATE = { perMinute: 6000 };
/** Some senders give up after three seconds: what takes longer is done behind the answer. */
const ANSWER_WITHIN_MS = 2000;

export interface IngressDeps extends InboundDeps {
  registry: Pick<InboundRegistry, 'find'>;
  refusals: Pick<Refusals<InboundRefusal>, 'add'>;
  counts: IntakeCounts<InboundRefusal>;
}

async function apply(deps: IngressDeps, { tenant }: InboundCredential, id: string): Promise<string> {
  const [delivery] = await deps.relational.withSystemSql(tenant, (sql) => readWaiting(sql, { id }));
  return delivery ? await applyDelivery(deps, tenant, delivery) : 'waiting';
}

/** Stored before it is answered, and done at once where that is quick: otherwise, and after a crash, the rounds do it. */
async function keep(deps: IngressDeps, credential: InboundCredential, delivery: SignedDelivery): Promise<string> {
  const { tenant, id: webhook } = credential;
  const reading = readDelivery(deps.readers[credential.provider], delivery);
  const stored = await storeDelivery(deps, { tenant, webhook, now: new Date(delivery.nowMs) }, reading);
  if (!stored) return 'repeated';
  if (stored.outcome !== 'waiting') return stored.outcome;
  const applying = apply(deps, credential, stored.id).catch((error: unknown) => {
    deps.log.warn({ err: error, webhook }, 'a delivery could not be done at once: the next round does it');
    return 'waiting';
  });
  return await Promise.race([applying, sleep(ANSWER_WITHIN_MS, 'waiting', { ref: false })]);
}

/** `POST /ingest/itsm/{provider}/{id}` */
export function mountIngress(app: FastifyInstance, deps: IngressDeps): void {
  const { registry, refusals, counts, readers, clock } = deps;
  mountReceiver(app, {
    ...{ path: INBOUND_PATH, providers: INBOUND_WEBHOOKS.providers, maxBytes: MAX_INBOUND_BYTES, rate: RATE },
    ...{ registry, refusals, counts, clock },
    verify: (provider, secret, delivery) => verify(readers[provider], secret, delivery),
    async keep(credential: InboundCredential, delivery) {
      const outcome = await keep(deps, credential, delivery);
      return { accepted: outcome === 'repeated' ? 0 : 1, outcome };
    },
    unkept: 'unavailable',
  });
}
