import type { IncidentView } from '@svc/contracts/incidents/incident';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { ask } from '../../../api.ts';
import { POLL_MS } from '../../../queries.ts';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { useMay } from '../../../ui/permission/use-may.ts';

/** Of each kind, those that still hurt first; the others are counted. */
export const MAX_TESTS = 6;
const MAX_MEASURED = 3;
const MAX_SERVICES = 3;
const BARS = 72;
const POINTS = 90;
const STEPS = 60;

const iso = (at: number): string => new Date(at).toISOString();

type Affected = IncidentView['affected'][number];

export const ofKind = ({ affected }: Pick<IncidentView, 'affected'>, kind: Affected['kind']): Affected[] =>
  affected
    .filter((thing) => thing.kind === kind)
    .toSorted((a, b) => Number(a.recovered_at !== null) - Number(b.recovered_at !== null) || a.since.localeCompare(b.since));

/** What is asked for lanes: again while the incident goes on, and the answer before stays until the next is there. */
const live = (view: IncidentView) => ({
  placeholderData: keepPreviousData,
  ...(view.incident.status === 'resolved' ? {} : { refetchInterval: POLL_MS }),
});

/** Runs of the tests that are hurt, and what those that are hurt first measured. */
export function useTestLanes(view: IncidentView, { from, to }: TimeSpan) {
  const enabled = useMay('test.read');
  const tests = ofKind(view, 'test');
  const strips = useQueries({
    queries: tests.slice(0, MAX_TESTS).map(({ id }) => ({
      ...live(view),
      enabled,
      queryKey: ['tests.strip', id, undefined, from, to],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        ask('tests.strip', { id, from: iso(from), to: iso(to), bars: BARS }, signal),
    })),
  });
  const series = useQueries({
    queries: tests.slice(0, MAX_MEASURED).map(({ id }) => ({
      ...live(view),
      enabled,
      queryKey: ['tests.series', id, undefined, from, to],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        ask('tests.series', { id, from: iso(from), to: iso(to), points: POINTS }, signal),
    })),
  });
  return {
    enabled,
    left: Math.max(0, tests.length - MAX_TESTS),
    tests: tests.slice(0, MAX_TESTS).map((test, index) => ({ test, strip: strips[index], series: series[index]?.data })),
  };
}

/** Slow devices at the places that are hurt. */
export function useDeviceLane(view: IncidentView, { from, to }: TimeSpan) {
  const may = useMay('agent.read');
  const enabled = may && view.incident.planes.includes('endpoint');
  const { id } = view.incident;
  return useQuery({
    ...live(view),
    enabled,
    queryKey: ['incidents.devices', id, from, to],
    queryFn: ({ signal }) => ask('incidents.devices', { id, from: iso(from), to: iso(to), steps: STEPS }, signal),
  });
}

/** Requests of the services that are hurt, and how many failed. */
export function useServiceLanes(view: IncidentView, { from, to }: TimeSpan) {
  const enabled = useMay('otlp.read');
  const services = ofKind(view, 'service').slice(0, MAX_SERVICES);
  const answers = useQueries({
    queries: services.map(({ id }) => ({
      ...live(view),
      enabled,
      queryKey: ['traces.latency', id, from, to],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        ask('traces.latency', { service: [id], from: iso(from), to: iso(to), steps: STEPS }, signal),
    })),
  });
  return services.map(({ name }, index) => ({ name, latency: answers[index]?.data }));
}
