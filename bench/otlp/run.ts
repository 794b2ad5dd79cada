// OTLP received, stored and survived, beside a receiver that only reads the body and the Go Collector; one table of one run.
// usage: node --conditions=svc-source bench/otlp/run.ts [--seconds 10] [--cells receive,stored,latency,tenants,flood,kill] [--source]
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRootCa, createServerLeaf } from '../../server/src/crypto/index.ts';
import {
  type Bench,
  collectorRow,
  killCollector,
  killOurs,
  measureCollectorStored,
  measureFlood,
  measureStored,
  type Row,
  receivingRow,
  type Survived,
} from './cells.ts';
import { collectorUnavailable } from './subjects.ts';

const CELLS = ['receive', 'stored', 'latency', 'tenants', 'flood', 'kill'] as const;
type Cell = (typeof CELLS)[number];

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    cells: { type: 'string', default: CELLS.join(',') },
    // From source instead of server/dist: for a look, not for figures.
    source: { type: 'boolean', default: false },
  },
});

const SIGNALS = ['traces', 'logs', 'metrics'] as const;
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const whole = (value: number): string => (Number.isFinite(value) ? Math.round(value).toLocaleString('en-GB') : '');
const short = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : '');

function print(row: Row): Row {
  const { what, itemsPerSecond, itemsPerCpuSecond, requestsPerSecond, p50Ms, p95Ms, p99Ms, rssMb, note } = row;
  const figures = [
    whole(itemsPerSecond),
    whole(itemsPerCpuSecond),
    whole(requestsPerSecond),
    short(p50Ms),
    short(p95Ms),
    short(p99Ms),
  ];
  say(`| ${[what, ...figures, whole(rssMb), note].join(' | ')} |`);
  return row;
}

type CellRun = (bench: Bench, hasCollector: boolean) => Promise<Row[]>;

const runReceive: CellRun = async (bench, hasCollector) => {
  const rows: Row[] = [];
  for (const protocol of ['grpc', 'http'] as const) {
    for (const signal of SIGNALS) {
      const load = { signal, items: 512 };
      rows.push(print(await receivingRow(bench, 'bare', { protocol, ...load })));
      rows.push(print(await receivingRow(bench, 'ours', { protocol, ...load })));
      if (hasCollector) rows.push(print(await collectorRow(bench, 'nop', { protocol, ...load })));
    }
  }
  return rows;
};

const runStored: CellRun = async (bench, hasCollector) => {
  const rows: Row[] = [];
  for (const signal of SIGNALS) {
    rows.push(print(await measureStored(bench, { signal })));
    if (!hasCollector) continue;
    rows.push(print(await collectorRow(bench, 'batch-file', { protocol: 'grpc', signal, items: 512 })));
    rows.push(print(await measureCollectorStored(bench, 'clickhouse-ack', { signal, items: 512 })));
  }
  rows.push(print(await measureStored(bench, { signal: 'traces', items: 20, concurrency: 256 })));
  if (hasCollector) rows.push(print(await collectorRow(bench, 'batch-file', { protocol: 'grpc', signal: 'traces', items: 20 })));
  return rows;
};

const LONE = { items: 20, concurrency: 1, connections: 1 } as const;

const runLatency: CellRun = async (bench) => [
  print(await measureStored(bench, { ...LONE, signal: 'traces', what: 'a lone caller, grpc, 20 spans' })),
  print(await measureStored(bench, { ...LONE, signal: 'traces', protocol: 'http', what: 'a lone caller, http, 20 spans' })),
  print(await measureStored(bench, { signal: 'traces', rate: 100, what: '100 requests/s as they fall due, 512 spans' })),
];

const runTenants: CellRun = async (bench) => {
  const tenants = Array.from({ length: 10 }, (_, i) => `tenant-${i}`);
  const one = print(await measureStored(bench, { signal: 'traces', what: 'one tenant' }));
  const ten = await measureStored(bench, { signal: 'traces', tenants, what: 'ten tenants' });
  const cost = (one.itemsPerCpuSecond / ten.itemsPerCpuSecond).toFixed(2);
  return [one, print({ ...ten, note: `${cost} times one tenant's CPU a span; ${ten.note}` })];
};

const runFlood: CellRun = async (bench) => (await measureFlood(bench)).map(print);

async function runKill(bench: Bench, hasCollector: boolean): Promise<void> {
  const all: Survived[] = [await killOurs(bench)];
  if (hasCollector) for (const way of ['clickhouse', 'batch-file'] as const) all.push(await killCollector(bench, way));
  say('\n| kill -9 at the last acknowledgement | acknowledged | found after it |\n|---|---|---|');
  for (const { what, acknowledged, found } of all) say(`| ${what} | ${whole(acknowledged)} spans | ${found} |`);
}

/** Ours against the others of the same run, per CPU-second. */
function printRatios(rows: readonly Row[]): void {
  const find = (what: string): Row | undefined => rows.find((row) => row.what === what);
  const lines: string[] = [];
  const ratio = (a: string, b: string): void => {
    const [one, other] = [find(a), find(b)];
    if (one && other) lines.push(`| ${a} / ${b} | ${(one.itemsPerCpuSecond / other.itemsPerCpuSecond).toFixed(2)} |`);
  };
  for (const signal of SIGNALS) {
    for (const protocol of ['grpc', 'http']) {
      ratio(`ours received ${protocol} ${signal} 512`, `bare ${protocol} ${signal} 512`);
      ratio(`ours received ${protocol} ${signal} 512`, `Collector nop ${protocol} ${signal} 512`);
    }
    ratio(`ours stored grpc ${signal} 512`, `Collector clickhouse-ack ${signal} 512`);
    ratio(`ours stored grpc ${signal} 512`, `Collector batch-file grpc ${signal} 512`);
  }
  ratio('ours stored grpc traces 20', 'Collector batch-file grpc traces 20');
  if (lines.length > 0) say(['\n| ratio, items a CPU-second | |\n|---|---|', ...lines].join('\n'));
}

type Figure = Exclude<keyof Row, 'what' | 'note'>;

/** What a row of this name has at least and at most. */
interface Bounds {
  least?: Partial<Record<Figure, number>>;
  most?: Partial<Record<Figure, number>>;
}

const MOST_RSS = { rssMb: 1000 } as const;
const LONE_CALLER: Bounds = { most: { p50Ms: 50, p99Ms: 250 } };
const BOUNDS: Readonly<Record<string, Bounds>> = {
  'ours stored grpc traces 512': { least: { itemsPerSecond: 150_000 }, most: MOST_RSS },
  'ours stored grpc logs 512': { least: { itemsPerSecond: 200_000 }, most: MOST_RSS },
  'ours stored grpc metrics 512': { least: { itemsPerSecond: 400_000 }, most: MOST_RSS },
  'ours stored grpc traces 20': { least: { requestsPerSecond: 6000 }, most: MOST_RSS },
  'a lone caller, grpc, 20 spans': LONE_CALLER,
  'a lone caller, http, 20 spans': LONE_CALLER,
};

function missedBounds(rows: readonly Row[]): string[] {
  return rows.flatMap((row) => {
    const { least = {}, most = {} } = BOUNDS[row.what] ?? {};
    const missed = [
      ...Object.entries(least).filter(([figure, bound]) => !(row[figure as Figure] >= bound)),
      ...Object.entries(most).filter(([figure, bound]) => !(row[figure as Figure] < bound)),
    ];
    return missed.map(([figure, bound]) => `${row.what}: ${figure} is ${short(row[figure as Figure])}, its bound ${bound}`);
  });
}

const RUNS: Readonly<Record<Exclude<Cell, 'kill'>, CellRun>> = {
  receive: runReceive,
  stored: runStored,
  latency: runLatency,
  tenants: runTenants,
  flood: runFlood,
};

const wanted = values.cells.split(',') as Cell[];
const unknown = wanted.filter((cell) => !CELLS.includes(cell));
if (unknown.length > 0) throw new Error(`no cells ${unknown.join(', ')}; there are ${CELLS.join(', ')}`);
const main = join(import.meta.dirname, '..', '..', 'server', 'dist', 'main.js');
if (!values.source && !existsSync(main)) throw new Error('run "npm run build" first, or look with --source');
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-otlp-'));
try {
  const root = await createRootCa({ commonName: 'bench' });
  const leaf = await createServerLeaf(root, { hosts: ['localhost', '127.0.0.1'] });
  const tls = { key: leaf.keyPem, cert: leaf.certPem, ca: root.certPem };
  const bench: Bench = { folder, tls, token: 'x'.repeat(40), seconds: Number(values.seconds), built: !values.source };
  const missing = collectorUnavailable();
  if (missing) process.stderr.write(`Without the Collector's cells: ${missing}\n`);
  say(
    '| what | items/s | items/CPU-s | requests/s | p50 ms | p95 ms | p99 ms | RSS MB | |\n|---|---|---|---|---|---|---|---|---|',
  );
  const rows: Row[] = [];
  for (const cell of CELLS) if (cell !== 'kill' && wanted.includes(cell)) rows.push(...(await RUNS[cell](bench, !missing)));
  if (rows.length > 0) printRatios(rows);
  const missed = missedBounds(rows);
  if (missed.length > 0) {
    process.stderr.write(`Missed:\n${missed.join('\n')}\n`);
    process.exitCode = 1;
  }
  if (wanted.includes('kill')) await runKill(bench, !missing);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
