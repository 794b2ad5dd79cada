// What people ask of spans, logs and metrics, through the product's own procedures, on a filled embedded store; one table of one run.
// usage: node --conditions=svc-source bench/otlp/queries.ts [--scale 1] [--rounds 15] [--data FOLDER] [--only WORD] [--explain WORD]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { createCallerFactory } from '../../server/src/api/index.ts';
import { createLogs } from '../../server/src/features/logs/index.ts';
import { createMetrics } from '../../server/src/features/metrics/index.ts';
import { createTraces } from '../../server/src/features/traces/index.ts';
import { parseTenantId, type TenantId } from '../../server/src/kernel/index.ts';
import type { Relational } from '../../server/src/relational/index.ts';
import { type ColumnStore, openTelemetry, type Telemetry } from '../../server/src/telemetry/index.ts';
import { DAYS, fillStore, RARE, SPANS_A_TRACE } from './fill.ts';
import { BOUNDS, type Bound } from './spike.ts';

const FULL_ROWS = 10_000_000;
const HOUR = 3_600_000;

const { values } = parseArgs({
  options: {
    // 1 is 10 million spans, as many log records and 50 million points.
    scale: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '15' },
    // Kept and used again where it was filled before.
    data: { type: 'string' },
    // Asks only what has this word in its name.
    only: { type: 'string', default: '' },
    // Shows the statements of the questions whose name has this word, and what the store would read for them.
    explain: { type: 'string' },
  },
});
const rows = Math.round(FULL_ROWS * Number(values.scale));
const rounds = Number(values.rounds);
/** Before it counts, so that neither V8 nor the store does anything for the first time. */
const WARM_ROUNDS = 5;
const tenant = parseTenantId('bench');
const log = pino({ level: 'warn' });
const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Statement {
  sql: string;
  params: Record<string, unknown>;
}

/** The same stores, which remember what they were asked. */
function listenTo(telemetry: Telemetry, store: ColumnStore) {
  const heard: Statement[] = [];
  const read: ColumnStore['read'] = (...[whose, sql, params = {}, limits]) => {
    heard.push({ sql, params });
    return store.read(whose, sql, params, limits);
  };
  return { telemetry: { ...telemetry, store: { ...store, read } }, heard };
}

interface Question {
  what: string;
  /** Of a spike on the same data, at full scale. */
  bound?: Bound;
  ask: () => Promise<unknown>;
  /** What somebody else asks meanwhile; its own time does not count. */
  beside?: () => Promise<unknown>;
}

function questionsOf(telemetry: Telemetry, fromMs: number): Question[] {
  const endMs = fromMs + DAYS * 24 * HOUR;
  const clock = { now: () => endMs };
  const ctxOf = (whose: TenantId) => {
    const principal = { kind: 'account' as const, id: 'a', tenant: whose, permissions: new Set(['otlp.read' as const]) };
    return { requestId: 'bench', ctx: { requestId: 'bench', principal } };
  };
  const ctx = ctxOf(tenant);
  const tracesOf = createCallerFactory(createTraces({ telemetry, clock }).procedures);
  const traces = tracesOf(ctx);
  const tracesOfOther = tracesOf(ctxOf(parseTenantId('other')));
  const logs = createCallerFactory(createLogs({ telemetry, clock }).procedures)(ctx);
  const relational = undefined as unknown as Relational;
  const metricDeps = { relational, telemetry, clock, keptDays: 30, log };
  const metrics = createCallerFactory(createMetrics(metricDeps).procedures)(ctx);
  const last = (hours: number) => ({ from: new Date(endMs - hours * HOUR).toISOString(), to: new Date(endMs).toISOString() });
  const range = (fields: Partial<Parameters<typeof metrics.range>[0]>) =>
    metrics.range({ metric: 'app_metric_2', ...last(6), function: 'rate', ...fields });
  let traceId = '';
  const findTrace = async () => {
    traceId ||= (await traces.list({ ...last(24), limit: 1 })).items[0]?.trace_id ?? '';
    return traceId;
  };
  const pageOfTraces = (hours: number) => () =>
    Promise.all([traces.scatter(last(hours)), traces.latency(last(hours)), traces.facets(last(hours)), traces.list(last(hours))]);
  const pageOfLogs = (hours: number) => () =>
    Promise.all([logs.histogram(last(hours)), logs.facets(last(hours)), logs.list(last(hours))]);
  // Somebody else each time: the store remembers where it found nothing.
  let nobody = 0;
  const searchForNobody = () => traces.spans({ ...last(48), attribute: `enduser.id=nobody ${nobody++}` });
  const pageOfNobody = () => {
    const filter = { ...last(24), attribute: `enduser.id=nobody ${nobody++}` };
    return Promise.all([traces.scatter(filter), traces.latency(filter), traces.facets(filter), traces.list(filter)]);
  };
  return [
    { what: 'trace by id', bound: BOUNDS.trace, ask: async () => await traces.get({ id: await findTrace() }) },
    { what: "a trace's logs", ask: async () => await traces.logs({ id: await findTrace() }) },
    {
      what: 'quantiles of one service over time, 24 h',
      bound: BOUNDS.ofService,
      ask: () => traces.latency({ ...last(24), service: 'payment' }),
    },
    { what: 'scatter of one service, 24 h', ask: () => traces.scatter({ ...last(24), service: 'payment' }) },
    { what: 'facets of one service, 24 h', ask: () => traces.facets({ ...last(24), service: 'payment' }) },
    { what: 'facets of all services, 48 h', bound: BOUNDS.ofAll, ask: () => traces.facets(last(48)) },
    { what: 'quantiles of all requests over time, 24 h', ask: () => traces.latency(last(24)) },
    { what: 'scatter of all services, 24 h', ask: () => traces.scatter(last(24)) },
    { what: 'newest 50 traces, 24 h', ask: () => traces.list(last(24)) },
    {
      what: 'slowest 50 spans, 24 h',
      bound: BOUNDS.slowest,
      ask: () => traces.spans({ ...last(24), sort: 'duration' }),
    },
    { what: 'slowest 50 traces, 24 h', ask: () => traces.list({ ...last(24), sort: 'duration' }) },
    {
      what: 'failed spans with a status code, 24 h',
      ask: () => traces.spans({ ...last(24), attribute: 'http.response.status_code=500' }),
    },
    {
      what: 'spans by an attribute nobody has, 48 h',
      bound: BOUNDS.attribute,
      ask: searchForNobody,
    },
    { what: 'spans by such an attribute, asked again', ask: () => traces.spans({ ...last(48), attribute: 'enduser.id=nobody' }) },
    {
      what: 'newest spans by a frequent attribute, 24 h',
      ask: () => traces.spans({ ...last(24), attribute: 'app.cache.hit=true' }),
    },
    { what: 'page of traces by an attribute nobody has, 24 h', ask: pageOfNobody },
    { what: "another tenant's newest traces, 1 h, beside that", ask: () => tracesOfOther.list(last(1)), beside: searchForNobody },
    { what: 'page of traces, 1 h', ask: pageOfTraces(1) },
    { what: 'page of traces, 24 h', ask: pageOfTraces(24) },
    {
      what: 'log records with a rare word, 48 h',
      bound: BOUNDS.rareWord,
      ask: () => logs.list({ ...last(48), text: `"${RARE}"` }),
    },
    { what: 'log records with a part of a rare word, 48 h', ask: () => logs.list({ ...last(48), text: RARE.slice(1) }) },
    { what: 'newest log records with a part of a common word, 48 h', ask: () => logs.list({ ...last(48), text: 'timeo' }) },
    {
      what: 'newest log records with a common word, 48 h',
      bound: BOUNDS.commonWord,
      ask: () => logs.list({ ...last(48), text: '"timeout"' }),
    },
    {
      what: 'newest log records with two common words, 48 h',
      bound: BOUNDS.commonWords,
      ask: () => logs.list({ ...last(48), text: '"timeout" "refused"' }),
    },
    { what: 'newest log records, 1 h', ask: () => logs.list(last(1)) },
    { what: 'log histogram, 24 h', ask: () => logs.histogram(last(24)) },
    { what: 'log histogram of a common word, 24 h', ask: () => logs.histogram({ ...last(24), text: '"timeout"' }) },
    { what: 'log facets, 24 h', ask: () => logs.facets(last(24)) },
    {
      what: 'log records by an attribute nobody has, 24 h',
      ask: () => logs.list({ ...last(24), attribute: [`enduser.id=nobody ${nobody++}`] }),
    },
    { what: 'page of logs, 1 h', ask: pageOfLogs(1) },
    { what: 'page of logs, 24 h', ask: pageOfLogs(24) },
    { what: 'rate of 1,000 series added up, 6 h', bound: BOUNDS.metric, ask: () => range({ aggregate: 'sum' }) },
    {
      what: 'rate of 1,000 series by service, 6 h',
      bound: BOUNDS.metric,
      ask: () => range({ aggregate: 'sum', by: ['service.name'] }),
    },
    { what: 'gauge of 1,000 series each, 6 h', ask: () => range({ metric: 'app_metric_1', function: 'avg', step_seconds: 300 }) },
    { what: 'names of metrics, 6 h', ask: () => metrics.names(last(6)) },
    { what: 'values of a label, 6 h', ask: () => metrics.values({ ...last(6), metric: 'app_metric_2', label: 'http.route' }) },
  ];
}

const READ = `SELECT sumIf(value, event = 'SelectedRows') AS rows, sumIf(value, event = 'SelectedBytes') AS bytes
  FROM system.events WHERE {tenant:String} != ''`;
const readSoFar = async (store: ColumnStore) =>
  (await store.read<{ rows: number; bytes: number }>(tenant, READ))[0] ?? { rows: 0, bytes: 0 };

const short = (value: number): string => (value >= 100 ? Math.round(value).toLocaleString('en-GB') : value.toFixed(1));

const medianOf = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;

/** Milliseconds of the statement that the bound is of, the median of as many as the question has. */
async function timeStatement(store: ColumnStore, { sql, hours = 0 }: Bound, toMs: number): Promise<number | undefined> {
  if (sql === undefined) return undefined;
  const times: number[] = [];
  for (let i = -WARM_ROUNDS; i < rounds; i++) {
    const begun = performance.now();
    await store.read(tenant, sql, { fromMs: toMs - hours * HOUR, toMs, nobody: `nobody of the spike ${i}` });
    if (i >= 0) times.push(performance.now() - begun);
  }
  return medianOf(times);
}

/** Gives whether it was as quick as the spike. */
async function measure(store: ColumnStore, { what, bound, ask, beside }: Question, toMs: number): Promise<boolean> {
  for (let i = 1; i < WARM_ROUNDS; i++) await ask();
  const before = await readSoFar(store);
  await ask();
  const after = await readSoFar(store);
  const times: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (let i = 0; i < rounds; i++) {
    const other = beside?.();
    const begun = performance.now();
    await ask();
    times.push(performance.now() - begun);
    await other;
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  const median = medianOf(times);
  const figures = [
    median,
    Math.max(...times),
    (user + system) / 1000 / rounds,
    (after.rows - before.rows) / 1000,
    (after.bytes - before.bytes) / 1e6,
  ];
  const isOver = bound !== undefined && median > bound.ms;
  const ofSpike = bound && (await timeStatement(store, bound, toMs));
  say(
    `| ${[what, ...figures.map(short), ofSpike === undefined ? '' : short(ofSpike), `${bound?.ms ?? ''}${isOver ? ', **over**' : ''}`].join(' | ')} |`,
  );
  return !isOver;
}

const textOf = (params: Record<string, unknown>): string =>
  JSON.stringify(params, (_key, value) => (typeof value === 'bigint' ? String(value) : value)).slice(0, 300);

async function explain(store: ColumnStore, { what, ask }: Question, heard: Statement[]): Promise<void> {
  await ask();
  heard.length = 0;
  await ask();
  for (const { sql, params } of [...heard]) {
    const begun = performance.now();
    await store.read(tenant, sql, params);
    say(`\n${what}, ${short(performance.now() - begun)} ms\n${sql}\n${textOf(params)}`);
    const plan = await store.read<{ explain: string }>(tenant, `EXPLAIN indexes = 1, actions = 0 ${sql}`, params);
    say(plan.map((row) => row.explain).join('\n'));
  }
}

async function openFilled(dataDir: string) {
  const migrationsDir = join(import.meta.dirname, '../../clickhouse/migrations');
  const telemetry = await openTelemetry({ dataDir, migrationsDir, log });
  const { store } = telemetry;
  const oldest = async () => {
    const sql = 'SELECT count() AS n, toUnixTimestamp64Milli(min(ts)) AS at FROM spans WHERE tenant_id = {tenant:String}';
    const [row] = await store.read<{ n: number; at: number }>(tenant, sql);
    return row !== undefined && row.n > 0 ? row.at : undefined;
  };
  const fromMs = Math.floor(Date.now() / HOUR) * HOUR - DAYS * 24 * HOUR;
  if ((await oldest()) === undefined)
    await fillStore(store, tenant, { rows, fromMs, say: (line) => void process.stderr.write(`${line}\n`) });
  return { telemetry, store, fromMs: Math.floor(((await oldest()) ?? fromMs) / HOUR) * HOUR };
}

const dataDir = values.data ?? mkdtempSync(join(tmpdir(), 'svc-bench-queries-'));
try {
  const { telemetry: opened, store, fromMs } = await openFilled(dataDir);
  try {
    const { telemetry, heard } = listenTo(opened, store);
    const questions = questionsOf(telemetry, fromMs).filter(({ what }) => what.includes(values.only));
    const word = values.explain;
    if (word !== undefined) {
      for (const question of questions) if (question.what.includes(word)) await explain(store, question, heard);
    } else {
      say(`${rows} spans of ${SPANS_A_TRACE} a trace, as many log records, ${5 * rows} points\n`);
      say(
        '| question | median ms | slowest ms | CPU ms | thousand rows read | MB read | statement of the bound now, ms | bound ms |\n|---|---|---|---|---|---|---|---|',
      );
      let over = 0;
      for (const question of questions) if (!(await measure(store, question, fromMs + DAYS * 24 * HOUR))) over++;
      if (over > 0) process.exitCode = 1;
    }
  } finally {
    await opened.close();
  }
} finally {
  if (values.data === undefined) rmSync(dataDir, { recursive: true, force: true });
}
