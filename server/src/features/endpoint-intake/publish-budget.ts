import { GROUPS, TOPICS } from '@svc/contracts/bus-topics';
import type { SetAsideMessage } from '#bus';
import { type AgentIdentity, createNeighbours, type TenantId } from '#kernel';

/** A device measures a result every few seconds; after a month offline it sends 900,000 of them in under eight minutes. */
const RESULTS_PER_SECOND = 2000;
const BYTES_PER_SECOND = 2 * 1024 * 1024;
/** What a batch costs beside its results, as so many of them: an empty one is decoded and acknowledged too. */
const RESULTS_PER_BATCH = 10;
/** What a device may send at once: nearly ten of the largest batches. */
const BURST_SECONDS = 5;
/** Results of a tenant that are acknowledged and cannot be read yet: what its neighbours' results wait behind at most. */
const UNREAD_BESIDE_OTHERS = 5000;
const UNREAD_ALONE = 50_000;
/** Part of the event loop that taking one tenant's batches may take while others send too. */
const LOOP_SHARE = 0.25;
const LOOP_BURST_MS = 50;
/** Consumers that stored nothing for so long are away: what is acknowledged is safe on the bus, and nobody waits for them. */
const CONSUMERS_AWAY_MS = 5000;
const LOOK_AGAIN_MS = 100;

/** Those that make results readable; each reports what it has stored. */
export type Consumer = 'results' | 'view';

/** Rates fill up while nothing is spent, up to `burst`; spending may go below zero and is then waited for. */
interface Bucket {
  left: number;
  atMs: number;
}

interface TenantGate {
  tenant: TenantId;
  unread: Record<Consumer, number>;
  progressMs: number;
  loop: Bucket;
  waiting: (() => void)[];
  timer: NodeJS.Timeout | undefined;
}

export interface PublishBudget {
  /** Counts a batch of a device; gives the milliseconds for which its stream is not to be read. */
  spend(agent: AgentIdentity, batch: { results: number; bytes: number }): number;
  /** Whether the tenant may hand in a batch now. */
  isOpen(tenant: TenantId): boolean;
  /** Calls back once the tenant may, in order of asking; the returned function gives the place up. */
  wait(tenant: TenantId, go: () => void): () => void;
  /** What taking a batch in took of the event loop. */
  tookLoop(tenant: TenantId, ms: number): void;
  /** So many results of a tenant went on the bus. */
  published(tenant: TenantId, results: number): void;
  /** A consumer has stored so many results of a tenant. */
  stored(consumer: Consumer, tenant: TenantId, results: number): void;
}

function fill(bucket: Bucket, { perMs, burst, nowMs }: { perMs: number; burst: number; nowMs: number }): void {
  bucket.left = Math.min(burst, bucket.left + (nowMs - bucket.atMs) * perMs);
  bucket.atMs = nowMs;
}

/** What each device has left, in seconds of its rate. */
function createDeviceRates(nowMs: () => number) {
  const buckets = new Map<string, Bucket>();
  const dropFull = (): void => {
    for (const [key, bucket] of buckets) if (nowMs() - bucket.atMs > 60_000) buckets.delete(key);
  };
  return (agent: AgentIdentity, { results, bytes }: { results: number; bytes: number }): number => {
    const key = `${agent.tenant}/${agent.agentId}`;
    if (!buckets.has(key)) dropFull();
    const bucket = buckets.get(key) ?? { left: BURST_SECONDS, atMs: nowMs() };
    buckets.set(key, bucket);
    fill(bucket, { perMs: 0.001, burst: BURST_SECONDS, nowMs: nowMs() });
    bucket.left -= Math.max((results + RESULTS_PER_BATCH) / RESULTS_PER_SECOND, bytes / BYTES_PER_SECOND);
    return Math.max(0, -bucket.left * 1000);
  };
}

/**
 * Keeps what one device or one tenant sends with its senders, by not reading their streams (flow control does the rest), instead of in front of
 * everybody's results: on the event loop, on the bus and in the consumers' batches. It refuses nothing and drops nothing.
 */
export function createPublishBudget(nowMs: () => number = () => performance.now()): PublishBudget {
  const gates = new Map<TenantId, TenantGate>();
  const neighbours = createNeighbours(nowMs);

  /** Forgets tenants of which a new gate would say the same. */
  const dropIdle = (): void => {
    for (const [tenant, { waiting, timer, progressMs, loop }] of gates) {
      const isFull = loop.left + (nowMs() - loop.atMs) * LOOP_SHARE >= LOOP_BURST_MS;
      const isAway = nowMs() - progressMs > CONSUMERS_AWAY_MS;
      if (waiting.length === 0 && timer === undefined && isAway && isFull) gates.delete(tenant);
    }
  };

  const gateOf = (tenant: TenantId): TenantGate => {
    if (!gates.has(tenant)) dropIdle();
    const gate = gates.get(tenant) ?? {
      tenant,
      unread: { results: 0, view: 0 },
      progressMs: Number.NEGATIVE_INFINITY,
      loop: { left: LOOP_BURST_MS, atMs: nowMs() },
      waiting: [],
      timer: undefined,
    };
    gates.set(tenant, gate);
    return gate;
  };

  /** Milliseconds until it is worth asking again; 0 for an open gate. */
  function closedMs(gate: TenantGate): number {
    const { unread, loop } = gate;
    const isBeside = neighbours.areThereFor(gate.tenant);
    if (nowMs() - gate.progressMs > CONSUMERS_AWAY_MS) gate.unread = { results: 0, view: 0 };
    else if (Math.max(unread.results, unread.view) >= (isBeside ? UNREAD_BESIDE_OTHERS : UNREAD_ALONE)) return LOOK_AGAIN_MS;
    fill(loop, { perMs: LOOP_SHARE, burst: LOOP_BURST_MS, nowMs: nowMs() });
    return isBeside && loop.left < 0 ? -loop.left / LOOP_SHARE : 0;
  }

  function letIn(gate: TenantGate): void {
    clearTimeout(gate.timer);
    gate.timer = undefined;
    for (let ms = 0; gate.waiting.length > 0; ) {
      ms = closedMs(gate);
      if (ms > 0) {
        gate.timer = setTimeout(() => letIn(gate), ms);
        return;
      }
      gate.waiting.shift()?.();
    }
  }

  return {
    spend: createDeviceRates(nowMs),
    isOpen(tenant) {
      neighbours.note(tenant);
      const gate = gateOf(tenant);
      return gate.waiting.length === 0 && closedMs(gate) === 0;
    },
    wait(tenant, go) {
      const gate = gateOf(tenant);
      gate.waiting.push(go);
      gate.timer ??= setTimeout(() => letIn(gate), closedMs(gate));
      return () => {
        const place = gate.waiting.indexOf(go);
        if (place >= 0) gate.waiting.splice(place, 1);
      };
    },
    tookLoop(tenant, ms) {
      gateOf(tenant).loop.left -= ms;
    },
    published(tenant, results) {
      const { unread } = gateOf(tenant);
      unread.results += results;
      unread.view += results;
    },
    stored(consumer, tenant, results) {
      const gate = gateOf(tenant);
      // What was there before this process counts for nobody.
      gate.unread[consumer] = Math.max(0, gate.unread[consumer] - results);
      gate.progressMs = nowMs();
      if (gate.waiting.length > 0) letIn(gate);
    },
  };
}

/** Results of a tenant that were set aside wait for their consumer no more. What a handler sets aside itself it reports with its batch. */
export function countSetAside(
  { stored }: Pick<PublishBudget, 'stored'>,
  tenant: TenantId,
  messages: readonly Pick<SetAsideMessage, 'topic' | 'group' | 'reason'>[],
): void {
  const results = messages.filter(({ topic, reason }) => topic === TOPICS.endpointResults && reason !== 'not_a_result');
  const countOf = (group: string): number => results.filter((message) => message.group === group).length;
  for (const [consumer, group] of [
    ['results', GROUPS.results],
    ['view', GROUPS.endpointView],
  ] as const) {
    const count = countOf(group);
    if (count > 0) stored(consumer, tenant, count);
  }
}
