import { randomUUID } from 'node:crypto';
import type { CanaryType, CanonicalResult } from '@svc/contracts/results/canonical-result';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import type { SeriesStore } from '#telemetry';
import { exportResults } from './export.ts';
import type { StoredResult } from './queries.ts';
import type { ResultStore } from './store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Three whole hours ago: the window of all tests. */
const BASE = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
const WINDOW = { fromMs: BASE, toMs: BASE + 3 * HOUR };

let made = 0;
const makeResult = (minute: number, fields: Partial<CanonicalResult> = {}): CanonicalResult => ({
  result_id: `0192f0c1-2345-7abc-8def-${String(++made).padStart(12, '0')}`,
  tenant_id: 'acme',
  agent_id: 'a1',
  canary_type: 'endpoint.gateway',
  started_at: new Date(BASE + minute * MINUTE).toISOString(),
  present: true,
  metrics: { 'rtt.avg.ms': minute },
  attributes: {},
  ...fields,
});
const verdict = (minute: number, cause: string, fields: Partial<CanonicalResult> = {}) =>
  makeResult(minute, {
    canary_type: 'endpoint.attribution',
    metrics: { confidence: 1 },
    attributes: { 'endpoint.cause': cause },
    ...fields,
  });
const session = (minute: number, host: string, fields: Partial<CanonicalResult> = {}) =>
  makeResult(minute, {
    canary_type: 'endpoint.session',
    server_address: host,
    server_port: 443,
    metrics: { 'total.ms': minute },
    ...fields,
  });

export interface OpenedResultStore {
  store: ResultStore;
  series: SeriesStore;
  close(): Promise<void>;
}

/** What every adapter of the results store must do. */
export function describeResultStore(name: string, open: () => Promise<OpenedResultStore>): void {
  describe(`results on ${name}`, () => {
    let opened: OpenedResultStore;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());

    const put = async (tenant: TenantId, results: readonly CanonicalResult[]) => {
      const batch = opened.store.newBatch();
      for (const result of results) batch.add(tenant, { result, startedAtMs: Date.parse(result.started_at) });
      await batch.write();
    };

    describeReads(() => opened.store, put);
    describeExport(() => opened, put);
    describeCauses(() => opened.store, put);
    describeSeries(() => opened, put);
  });
}

type Put = (tenant: TenantId, results: readonly CanonicalResult[]) => Promise<void>;

function describeExport(opened: () => OpenedResultStore, put: Put): void {
  test('exports every result of the tenant once as it was sent, also where a page ends within one moment', async () => {
    const tenant = parseTenantId('export');
    const many = Array.from({ length: 4500 }, (_, i) =>
      makeResult(i % 3 === 0 ? 1 : 2, { tenant_id: 'export', result_id: randomUUID() }),
    );
    const early = makeResult(-60 * 24 * 7, { tenant_id: 'export', canary_type: 'rum', agent_id: '', metrics: {} });
    const full = session(3, 'crm.example', {
      tenant_id: 'export',
      success: false,
      error: 'refused',
      duration_ms: 5,
      test_id: 't',
    });
    await put(tenant, [...many, early, full]);
    await put(tenant, many.slice(100, 300));
    await put(parseTenantId('export-other'), [makeResult(1, { tenant_id: 'export-other' })]);
    const rows: Record<string, unknown>[] = [];
    for await (const page of exportResults(opened(), tenant)) {
      expect(page.rows.length).toBeGreaterThan(0);
      if (page.table === 'results') rows.push(...page.rows);
    }
    const byId = new Map(rows.map((row) => [row.result_id, row]));
    expect(rows).toHaveLength(4502);
    for (const sent of [...many, early, full]) expect(byId.get(sent.result_id)).toEqual(sent);
  });
}

function describeReads(store: () => ResultStore, put: Put): void {
  test('gives back every field, and leaves out what was not sent', async () => {
    const tenant = parseTenantId('fields');
    const full = session(1, 'app.example', {
      test_id: 't1',
      success: false,
      error: 'refused',
      duration_ms: 3.5,
      attributes: { 'url.full': 'https://app.example/x' },
    });
    const absent = makeResult(2, { present: false, metrics: {}, attributes: { 'unavailable.rtt.avg.ms': 'not_supported' } });
    await put(tenant, [full, absent]);
    expect(await store().history(tenant, { agentId: 'a1', ...WINDOW })).toEqual([
      {
        resultId: full.result_id,
        agentId: 'a1',
        type: 'endpoint.session',
        testId: 't1',
        serverAddress: 'app.example',
        serverPort: 443,
        target: 'app.example/x',
        success: false,
        error: 'refused',
        startedAtMs: BASE + MINUTE,
        durationMs: 3.5,
        present: true,
        metrics: { 'total.ms': 1 },
        attributes: { 'url.full': 'https://app.example/x' },
      },
      {
        resultId: absent.result_id,
        agentId: 'a1',
        type: 'endpoint.gateway',
        target: '',
        startedAtMs: BASE + 2 * MINUTE,
        present: false,
        metrics: {},
        attributes: { 'unavailable.rtt.avg.ms': 'not_supported' },
      },
    ]);
  });

  test('knows the newest of each type and target, also when an older one arrives later', async () => {
    const tenant = parseTenantId('newest');
    await put(tenant, [makeResult(5), session(5, 'x.example'), session(6, 'y.example'), makeResult(7, { agent_id: 'a2' })]);
    await put(tenant, [makeResult(3), session(8, 'x.example'), makeResult(4)]);
    const seen = (await store().latest(tenant, 'a1')).map(({ type, target, startedAtMs }) => [
      type,
      target,
      (startedAtMs - BASE) / MINUTE,
    ]);
    expect(seen).toEqual([
      ['endpoint.gateway', '', 5],
      ['endpoint.session', 'x.example', 8],
      ['endpoint.session', 'y.example', 6],
    ]);
    const page = await store().latestOf(tenant, { agentIds: ['a1', 'a2', 'a3'] });
    expect([...page].map(([id, results]) => [id, results.length]).sort()).toEqual([
      ['a1', 3],
      ['a2', 1],
    ]);
    expect(await store().latest(parseTenantId('nobody'), 'a1')).toEqual([]);
  });

  test('knows the newest of each type and target within a window, whatever came after it', async () => {
    const tenant = parseTenantId('newest-in');
    await put(tenant, [
      makeResult(5),
      makeResult(90),
      session(5, 'x.example'),
      session(70, 'x.example'),
      session(6, 'y.example'),
    ]);
    await put(tenant, [makeResult(7), makeResult(8, { agent_id: 'a2' }), makeResult(5)]);
    const at = async (from: number, to: number, agentId = 'a1') =>
      (await store().newestIn(tenant, { agentId, fromMs: BASE + from * MINUTE, toMs: BASE + to * MINUTE })).map(
        ({ type, target, startedAtMs, metrics }) => [type, target, (startedAtMs - BASE) / MINUTE, Object.values(metrics)[0]],
      );
    expect(await at(0, 60)).toEqual([
      ['endpoint.gateway', '', 7, 7],
      ['endpoint.session', 'x.example', 5, 5],
      ['endpoint.session', 'y.example', 6, 6],
    ]);
    expect(await at(60, 90)).toEqual([['endpoint.session', 'x.example', 70, 70]]);
    expect(await at(91, 180)).toEqual([]);
    expect(await at(0, 180, 'a2')).toEqual([['endpoint.gateway', '', 8, 8]]);
    expect(await store().newestIn(parseTenantId('nobody'), { agentId: 'a1', ...WINDOW })).toEqual([]);
  });

  test('sums the sessions of a window by target, with failures in no time, each session once', async () => {
    const tenant = parseTenantId('sessions');
    const failed = (minute: number, phase?: string) =>
      session(minute, 'x.example', { success: false, ...(phase === undefined ? {} : { attributes: { 'error.phase': phase } }) });
    const good = [10, 20, 40].map((minute) => session(minute, 'x.example', { success: true }));
    const bad = [failed(1, 'tls'), failed(2, 'tls'), failed(3, 'dns'), failed(50)];
    const absent = session(30, 'x.example', { present: false, metrics: {} });
    await put(tenant, [...good, ...bad, absent, session(120, 'x.example'), session(30, 'y.example', { success: true })]);
    await put(tenant, [...good.slice(1), ...bad.slice(2)]);
    const window = { agentId: 'a1', fromMs: BASE, toMs: BASE + HOUR };
    const y = { target: 'y.example', count: 1, failed: 0, phases: [], medianMs: 30, worstMs: 30 };
    const phases = [
      { phase: 'tls', count: 2 },
      { phase: null, count: 1 },
      { phase: 'dns', count: 1 },
    ];
    expect(await store().sessionTotals(tenant, window)).toEqual([
      { target: 'x.example', count: 7, failed: 4, phases, medianMs: 20, worstMs: 40 },
      y,
    ]);
    const early = await store().sessionTotals(tenant, { ...window, toMs: BASE + 5 * MINUTE });
    expect(early).toMatchObject([{ target: 'x.example', count: 3, failed: 3, medianMs: null, worstMs: null }]);
    const middle = await store().sessionTotals(tenant, { ...window, toMs: BASE + 25 * MINUTE });
    expect(middle).toMatchObject([{ count: 5, medianMs: 15, worstMs: 20 }]);
    expect(await store().sessionTotals(tenant, { ...window, agentId: 'a2' })).toEqual([]);
  });

  test('gives a history by type and target, oldest first, the newest where it is cut', async () => {
    const tenant = parseTenantId('history');
    await put(tenant, [
      session(4, 'x.example'),
      session(2, 'x.example'),
      session(3, 'y.example'),
      makeResult(1),
      session(190, 'x.example'),
    ]);
    const at = async (query: { type?: CanaryType; target?: string; limit?: number }) =>
      (await store().history(tenant, { agentId: 'a1', ...WINDOW, ...query })).map(
        ({ startedAtMs }) => (startedAtMs - BASE) / MINUTE,
      );
    expect(await at({})).toEqual([1, 2, 3, 4]);
    expect(await at({ type: 'endpoint.session' })).toEqual([2, 3, 4]);
    expect(await at({ type: 'endpoint.session', target: 'x.example' })).toEqual([2, 4]);
    expect(await at({ limit: 2 })).toEqual([3, 4]);
    const all = await store().history(tenant, { agentId: 'a1', ...WINDOW });
    const before = all[2] as StoredResult;
    expect(await store().history(tenant, { agentId: 'a1', ...WINDOW, before, limit: 2 })).toEqual(all.slice(0, 2));
    expect(await store().history(tenant, { agentId: "a1' OR 1", ...WINDOW })).toEqual([]);
    expect(await store().history(parseTenantId('nobody'), { agentId: 'a1', ...WINDOW })).toEqual([]);
  });

  test('gives all results of one millisecond, page by page', async () => {
    const tenant = parseTenantId('one-ms');
    await put(
      tenant,
      Array.from({ length: 50 }, () => makeResult(1, { result_id: randomUUID() })),
    );
    const given: string[] = [];
    for (let before: StoredResult | undefined; ; ) {
      const page = await store().history(tenant, { agentId: 'a1', ...WINDOW, limit: 7, ...(before && { before }) });
      given.push(...page.map(({ resultId }) => resultId));
      before = page[0];
      if (!before) break;
    }
    expect([given.length, new Set(given).size]).toEqual([50, 50]);
  });

  test('shows no change when results come again, whole or cut differently', async () => {
    const tenant = parseTenantId('again');
    const results = Array.from({ length: 40 }, (_, i) =>
      i % 2 ? verdict(i, i % 4 === 1 ? 'wifi' : 'none') : session(i, `h${i % 3}.example`),
    );
    await put(tenant, results);
    const look = async () => ({
      latest: await store().latest(tenant, 'a1'),
      history: await store().history(tenant, { agentId: 'a1', ...WINDOW }),
      strip: await store().causeStrip(tenant, { agentIds: ['a1'], ...WINDOW, stepMs: 15 * MINUTE }),
      slow: await store().slowByStep(tenant, { ...WINDOW, stepMs: HOUR }),
      spans: await store().causeSpans(tenant, { agentId: 'a1', ...WINDOW }),
      newest: await store().newestIn(tenant, { agentId: 'a1', ...WINDOW }),
      sessions: await store().sessionTotals(tenant, { agentId: 'a1', ...WINDOW }),
    });
    const before = await look();
    expect(before.history).toHaveLength(40);
    await put(tenant, results);
    await put(tenant, results.slice(0, 13));
    await put(tenant, results.slice(7));
    expect(await look()).toEqual(before);
  });

  test('refuses questions without bounds', async () => {
    const tenant = parseTenantId('acme');
    const agentIds = Array.from({ length: 1001 }, (_, i) => `a${i}`);
    await expect(store().latestOf(tenant, { agentIds })).rejects.toMatchObject({ code: 'validation' });
    await expect(store().history(tenant, { agentId: 'a1', ...WINDOW, limit: 10_001 })).rejects.toMatchObject({
      code: 'validation',
    });
    await expect(store().history(tenant, { agentId: 'a1', fromMs: 5, toMs: 5 })).rejects.toMatchObject({ code: 'validation' });
    await expect(store().causeStrip(tenant, { agentIds: ['a1'], ...WINDOW, stepMs: 1 })).rejects.toMatchObject({
      code: 'validation',
    });
    await expect(store().slowByStep(tenant, { ...WINDOW, stepMs: 0 })).rejects.toMatchObject({ code: 'validation' });
    await expect(store().causeSpans(tenant, { agentId: 'a1', fromMs: Number.NaN, toMs: 1 })).rejects.toMatchObject({
      code: 'validation',
    });
  });
}

function describeCauses(store: () => ResultStore, put: Put): void {
  test('says which cause ruled each hour of each agent', async () => {
    const tenant = parseTenantId('strip');
    const hours = ['wifi', 'none', 'wifi'].map((cause, i) => verdict(i, cause));
    const tie = [verdict(61, 'isp'), verdict(62, 'none')];
    await put(tenant, [...hours, ...tie, verdict(5, 'local', { agent_id: 'a2' }), makeResult(130)]);
    expect(await store().causeStrip(tenant, { agentIds: ['a1', 'a2', 'a3'], ...WINDOW, stepMs: HOUR })).toEqual(
      new Map([
        ['a1', ['wifi', 'none', null]],
        ['a2', ['local', null, null]],
        ['a3', [null, null, null]],
      ]),
    );
    expect(await store().causeStrip(parseTenantId('nobody'), { agentIds: ['a1'], ...WINDOW, stepMs: HOUR })).toEqual(
      new Map([['a1', [null, null, null]]]),
    );
  });

  test('answers for steps that are no whole hours as well', async () => {
    const tenant = parseTenantId('minutes');
    await put(tenant, [verdict(0, 'none'), verdict(14, 'wifi'), verdict(16, 'isp'), verdict(59, 'isp'), verdict(60, 'none')]);
    const query = { fromMs: BASE + 5 * MINUTE, toMs: BASE + 65 * MINUTE, stepMs: 10 * MINUTE };
    expect(await store().causeStrip(tenant, { agentIds: ['a1'], ...query })).toEqual(
      new Map([['a1', ['wifi', 'isp', null, null, null, 'none']]]),
    );
    expect(await store().slowByStep(tenant, query)).toEqual([1, 1, 0, 0, 0, 1]);
  });

  test('counts the agents that were slow in each step', async () => {
    const tenant = parseTenantId('slow');
    await put(tenant, [
      verdict(1, 'wifi'),
      verdict(2, 'wifi'),
      verdict(3, 'isp', { agent_id: 'a2' }),
      verdict(4, 'none', { agent_id: 'a3' }),
      verdict(70, 'unknown'),
    ]);
    expect(await store().slowByStep(tenant, { ...WINDOW, stepMs: HOUR })).toEqual([2, 0, 0]);
    expect(await store().slowByStep(parseTenantId('nobody'), { ...WINDOW, stepMs: HOUR })).toEqual([0, 0, 0]);
  });

  test('gives the verdicts of one agent as spans', async () => {
    const tenant = parseTenantId('spans');
    await put(tenant, [verdict(0, 'none'), verdict(1, 'none'), verdict(2, 'isp'), verdict(30, 'none', { agent_id: 'a2' })]);
    const at = (minute: number) => BASE + minute * MINUTE;
    expect(await store().causeSpans(tenant, { agentId: 'a1', ...WINDOW })).toEqual([
      { fromMs: at(0), toMs: at(2), cause: 'none' },
      { fromMs: at(2), toMs: at(3), cause: 'isp' },
    ]);
    expect(await store().causeSpans(parseTenantId('nobody'), { agentId: 'a1', ...WINDOW })).toEqual([]);
  });
}

function describeSeries(opened: () => OpenedResultStore, put: Put): void {
  test('makes every numeric field a series with agent, target, hop and layer', async () => {
    const tenant = parseTenantId('series');
    const path = makeResult(1, {
      canary_type: 'endpoint.lastmile',
      server_address: '198.51.100.7',
      metrics: { 'hop.2.rtt.avg.ms': 7, hops: 9 },
    });
    const scores = verdict(1, 'wifi', { metrics: { 'score.wifi': 20, confidence: 0.9, 'invented.key': 5 } });
    await put(tenant, [path, scores, session(1, 'app.example')]);
    const metrics = [
      'lastmile_hop_rtt_avg_ms',
      'lastmile_hops',
      'attribution_score',
      'attribution_confidence',
      'session_total_ms',
      'attribution_invented_key',
    ];
    const query = { metrics: metrics.map((metric) => `svc_endpoint_${metric}`), labels: { agent: 'a1' }, ...WINDOW, stepMs: 0 };
    const found = (await opened().series.range(tenant, query)).map(({ metric, labels, avg }) => [metric.slice(13), labels, avg]);
    expect(found.sort()).toEqual([
      ['attribution_confidence', { agent: 'a1' }, [0.9]],
      ['attribution_score', { agent: 'a1', layer: 'wifi' }, [20]],
      ['lastmile_hop_rtt_avg_ms', { agent: 'a1', target: '198.51.100.7', hop: '2' }, [7]],
      ['lastmile_hops', { agent: 'a1', target: '198.51.100.7' }, [9]],
      ['session_total_ms', { agent: 'a1', target: 'app.example' }, [1]],
    ]);
  });

  test('gives ten times the targets that an agent may have the target "other", keeps their addresses, and leaves other agents alone', async () => {
    const tenant = parseTenantId('targets');
    const of = (agent: string, hosts: number) =>
      Array.from({ length: hosts }, (_, i) => session(1, `h${i}.${agent}.example`, { agent_id: agent }));
    await put(tenant, [session(0, 'before.example', { agent_id: 'hostile' }), ...of('hostile', 1000), ...of('quiet', 5)]);
    await put(tenant, [session(2, 'before.example', { agent_id: 'hostile' })]);
    const query = { metrics: ['svc_endpoint_session_total_ms'], labels: {}, ...WINDOW, stepMs: 0 };
    const found = await opened().series.range(tenant, query);
    const targets = (agent: string) => found.filter(({ labels }) => labels.agent === agent).map(({ labels }) => labels.target);
    expect(targets('hostile')).toHaveLength(101);
    expect(targets('hostile')).toContain('other');
    expect(targets('quiet')).toHaveLength(5);
    expect(found.find(({ labels }) => labels.target === 'before.example')?.avg).toEqual([0, 2]);
    const latest = await opened().store.latest(tenant, 'hostile');
    expect(latest).toHaveLength(101);
    const kept = await opened().store.history(tenant, { agentId: 'hostile', ...WINDOW, limit: 2000 });
    expect(new Set(kept.map(({ serverAddress }) => serverAddress))).toContain('h999.hostile.example');
  });
}
