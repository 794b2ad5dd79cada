import { randomUUID } from 'node:crypto';
import { TOPICS, type Topic } from '@svc/contracts/bus-topics';
import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { toCanonicalView } from '@svc/contracts/rum/canonical-view';
import { toCanonicalResult } from '@svc/contracts/tests/canonical-run';
import type { RunReport } from '@svc/contracts/tests/run-report';
import { type SimulatedVerdict, verdictsOf } from '@svc/simulator/causes/tell-devices';
import { runsOf, type SimulatedRun } from '@svc/simulator/causes/tell-tests';
import { trafficOf, viewsOf } from '@svc/simulator/causes/tell-traffic';
import { encodeLogs, encodeSpans } from '@svc/simulator/shop/otlp/encode';
import type { CausesProduct } from './open-product.ts';
import type { Played } from './settle-tenant.ts';

/** What a scenario tells in a stretch of time, in the messages that the product's receivers put on its bus. */

const SPANS_A_MESSAGE = 2000;
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function* cut<T>(list: readonly T[], size: number): Generator<T[]> {
  for (let from = 0; from < list.length; from += size) yield list.slice(from, from + size);
}

function reportOf({ tests, runners }: Played, run: SimulatedRun): RunReport | undefined {
  const test = tests.get(run.test);
  if (!test) return undefined;
  const at = new Date(run.startedAtMs).toISOString();
  return {
    ...{ result_id: randomUUID(), test_id: test.id, test_version: test.version, runner_id: runners.get(run.runner) ?? '' },
    ...{ type: 'https', target: test.target, planned_at: at, started_at: at, on_demand: false },
    ...{ success: run.success, phases: run.phases, total_ms: run.totalMs, figures: {}, assertions: [] },
    ...(run.fault === undefined ? {} : { fault: run.fault }),
    ...(run.error === undefined ? {} : { error: run.error }),
    ...(run.certificate === undefined ? {} : { certificate: run.certificate }),
  };
}

/** As an agent sends it: where it is, and what it makes of it. */
function resultsOf({ tenant, devices }: Played, { device, gateway, atMs, cause, sinceMs }: SimulatedVerdict): CanonicalResult[] {
  const common = {
    tenant_id: tenant,
    agent_id: devices[device]?.id ?? '',
    present: true,
    started_at: new Date(atMs).toISOString(),
  };
  const since = new Date(sinceMs).toISOString();
  return [
    {
      ...{ ...common, result_id: randomUUID(), canary_type: 'endpoint.gateway' },
      ...{ metrics: { 'rtt.avg.ms': 4 }, attributes: { [ATTRIBUTES.gatewayAddress]: gateway } },
    },
    {
      ...{ ...common, result_id: randomUUID(), canary_type: 'endpoint.attribution', metrics: { confidence: 0.9 } },
      attributes: { [ATTRIBUTES.cause]: cause, [ATTRIBUTES.summary]: `Because of ${cause}.`, [ATTRIBUTES.since]: since },
    },
  ];
}

export async function publishSignals(
  { bus }: CausesProduct,
  played: Played,
  span: { fromMs: number; toMs: number; nowMs: number },
): Promise<void> {
  const { scenario, tenant, onsetMs } = played;
  const stretch = { onsetMs, fromMs: span.fromMs, toMs: span.toMs };
  const publish = async (topic: Topic, values: readonly Buffer[], headers?: Record<string, string>): Promise<void> => {
    if (values.length > 0)
      await bus.publish(
        topic,
        values.map((value) => ({ tenant, value, ...(headers ? { headers } : {}) })),
      );
  };
  const reports = runsOf(scenario, stretch).flatMap((run) => reportOf(played, run) ?? []);
  await publish(
    TOPICS.networkResults,
    reports.map((report) => json(toCanonicalResult(report, tenant))),
  );
  await publish(
    TOPICS.endpointResults,
    verdictsOf(scenario, stretch)
      .flatMap((one) => resultsOf(played, one))
      .map(json),
  );
  const views = viewsOf(scenario, stretch).map(({ app, atMs, page, browser, lcpMs, ttfbMs, errors, failedRequests }) =>
    toCanonicalView({
      ...{ resultId: randomUUID(), tenant, app, host: scenario.estate.host, page, browser, errors, failedRequests, sdk: '1.0.0' },
      ...{ vitals: { lcp: Math.round(lcpMs), ttfb: Math.round(ttfbMs) }, receivedAtMs: atMs },
    }),
  );
  await publish(TOPICS.rumEvents, views.map(json));
  const { spans, logs } = trafficOf(scenario, stretch);
  const received = { at: String(Math.round(span.nowMs)) };
  for (const part of cut(spans, SPANS_A_MESSAGE)) await publish(TOPICS.otlpTraces, [encodeSpans(part)], received);
  for (const part of cut(logs, SPANS_A_MESSAGE)) await publish(TOPICS.otlpLogs, [encodeLogs(part)], received);
}
