import type { EdgeFact, EvidenceQuestion, PlaneEvidence, ServiceFact } from '@svc/contracts/causes/facts';
import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';
import type { EdgeSum } from './domain/build-map.ts';
import { findNeighbourhood, mergeEdges } from './domain/neighbourhood.ts';
import { quantileMs } from './domain/quantile.ts';
import { readOnsets, readServices } from './evidence-clickhouse.ts';
import type { MapReader } from './reader.ts';

/** What the service map knows about an incident (docs/causes.md): calls of what is hurt and of what that calls, against what is usual. */

const MINUTE_MS = 60_000;
const MAX_EDGES = 2000;
/** Shown of one incident. */
const MAX_FACTS = 40;
const CALLS: readonly EdgeSum['kind'][] = ['call', 'message', 'database', 'queue', 'host'];

export interface EvidenceDeps {
  store: ColumnStore;
  reader: MapReader;
}

interface Window {
  from: number;
  to: number;
}

const isEdge = (sum: EdgeSum): sum is EdgeSum & { kind: EdgeFact['edgeKind'] } => CALLS.includes(sum.kind) && sum.source !== '';
const keyOf = ({ source, target, kind }: Pick<EdgeSum, 'source' | 'target' | 'kind'>): string => `${source}\n${target}\n${kind}`;

type Sum = Pick<EdgeSum, 'calls' | 'errors' | 'durations'>;

/** `usualMinutes`: those of the time before it of which anything is known; of a tenant that has just begun to send they are few. */
interface Lengths {
  usualMinutes: number;
  minutes: number;
}

/** Figures of the harm beside those of the time before it. */
function against(now: Sum, usual: Sum | undefined, { usualMinutes, minutes }: Lengths) {
  return {
    ...{ calls: now.calls, errors: now.errors, p95Ms: quantileMs(now.durations, 0.95) },
    callsPerMinute: now.calls / Math.max(1, minutes),
    usualCallsPerMinute: (usual?.calls ?? 0) / Math.max(1, usualMinutes),
    usualErrorRatio: usual && usual.calls > 0 ? usual.errors / usual.calls : 0,
    usualP95Ms: usual ? quantileMs(usual.durations, 0.95) : null,
  };
}

const isHurt = ({ calls, errors, p95Ms, usualErrorRatio, usualP95Ms }: ReturnType<typeof against>): boolean =>
  (calls > 0 && errors / calls > Math.max(0.05, 2 * usualErrorRatio)) ||
  (p95Ms !== null && usualP95Ms !== null && p95Ms > 2 * usualP95Ms);

/** Bounded: the services that are asked, and at most 40 edges around them, those that are worse than usual first. */
export async function findMapEvidence(
  { store, reader }: EvidenceDeps,
  tenant: TenantId,
  question: EvidenceQuestion,
): Promise<PlaneEvidence & { services: readonly string[] }> {
  const minute = (ms: number): number => Math.floor(ms / MINUTE_MS);
  const since = { from: minute(question.sinceMs), to: Math.max(minute(question.toMs), minute(question.sinceMs) + 1) };
  const before = { from: minute(question.fromMs), to: since.from };
  const read = async (window: Window) => await reader.read(tenant, { ...window, ripe: 0, limit: MAX_EDGES });
  const [{ sums, computed: now }, { sums: usualSums, computed: earlier }, served] = await Promise.all([
    read(since),
    read(before),
    readServices(store, tenant, question),
  ]);
  const known = new Set(sums.flatMap(({ source, target }) => [source, target]));
  const asked = new Set([question.target ?? '', ...question.services, ...served].filter((name) => known.has(name)));
  if (asked.size === 0)
    return {
      plane: 'otlp',
      // A minute is on the map once it is over; who answers says so at once, and is asked for its own operations meanwhile.
      services: served,
      facts: [],
      notMeasured: [
        served.length === 0
          ? 'No service that sends spans is known to answer for this target.'
          : 'The service map of this time is not computed yet.',
      ],
    };
  const usual = new Map(usualSums.map((sum) => [keyOf(sum), sum]));
  const near = findNeighbourhood(sums.filter(isEdge), asked);
  const windows = { usualMinutes: earlier?.minutes ?? 0, minutes: now?.minutes ?? 0 };
  const edges = near.map((sum) => ({ ...sum, figures: against(sum, usual.get(keyOf(sum)), windows) }));
  const hurt = edges.filter(({ figures }) => isHurt(figures));
  const onsets = await readOnsets(store, tenant, { edges: hurt, before, since });
  const services = [
    ...new Set([
      ...asked,
      ...near.flatMap(({ source, kind, target }) => (kind === 'call' || kind === 'message' ? [source, target] : [source])),
    ]),
  ];
  const facts: (EdgeFact | ServiceFact)[] = [...asked].map((service): ServiceFact => {
    const figures = against(mergeEdges(sums, service), mergeEdges(usualSums, service), windows);
    return { kind: 'service', service, atMs: question.sinceMs, isAsked: true, ...figures };
  });
  for (const { source, target, kind, figures } of [...hurt, ...edges.filter((edge) => !hurt.includes(edge))].slice(
    0,
    MAX_FACTS,
  )) {
    const atMs = (onsets.get(keyOf({ source, target, kind })) ?? since.from) * MINUTE_MS;
    facts.push({ kind: 'edge', source, target, edgeKind: kind, atMs, ...figures });
  }
  return { plane: 'otlp', services, facts, notMeasured: [] };
}
