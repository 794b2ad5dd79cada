import { rmSync } from 'node:fs';
import { readUsage } from '../usage.ts';
import type { CollectorWay } from './collector-config.ts';
import type { LoadOrder } from './load.ts';
import type { Protocol } from './load-clients.ts';
import { countRows, type OurServer, startOurServer, tokenOf } from './our-server.ts';
import type { Signal } from './payload.ts';
import { type Measured, runLoad } from './run-load.ts';
import { type Place, type Subject, sizeOf, startCollector, startReceiverProcess } from './subjects.ts';

export interface Bench extends Place {
  seconds: number;
  built: boolean;
}

/** One line of the table. Items are spans, log records or points; of what is stored, only what queries find. */
export interface Row {
  what: string;
  itemsPerSecond: number;
  itemsPerCpuSecond: number;
  requestsPerSecond: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  rssMb: number;
  note: string;
}

const TENANT = 'bench';
const WARM_SECONDS = 2;

export function orderOf(bench: Bench, more: Partial<LoadOrder> & Pick<LoadOrder, 'protocol' | 'signal' | 'port'>): LoadOrder {
  const base = { ca: bench.tls.ca, tokens: [bench.token], items: 512, concurrency: 64, connections: 4, rate: 0, requests: 0 };
  const order = { ...base, warmSeconds: WARM_SECONDS, seconds: bench.seconds, ...more };
  // HTTP/1.1 has one request under way on each connection.
  return order.protocol === 'http' ? { ...order, connections: order.concurrency } : order;
}

const peakRss = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + readUsage(pid).peakRssMb, 0);
const refusedOf = ({ refused }: Measured): string =>
  Object.entries(refused)
    .map(([why, count]) => `${count} refused: ${why}`)
    .join(', ');

/** Of what is acknowledged and goes nowhere, or is written without being asked for. */
export async function measureReceiving(what: string, subject: Subject, order: LoadOrder): Promise<Row> {
  try {
    const measured = await runLoad(order, subject.pids);
    const { items, seconds, servedCpuSeconds, p50Ms, p95Ms, p99Ms } = measured;
    return {
      what,
      itemsPerSecond: items / seconds,
      itemsPerCpuSecond: items / servedCpuSeconds,
      requestsPerSecond: items / order.items / seconds,
      ...{ p50Ms, p95Ms, p99Ms },
      rssMb: peakRss(subject.pids),
      note: refusedOf(measured),
    };
  } finally {
    await subject.stop();
  }
}

const cpuOf = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + readUsage(pid).cpuSeconds, 0);

/** The Collector into ClickHouse: rows that queries find while it runs, and the CPU of both processes. */
export async function measureCollectorStored(
  bench: Bench,
  way: CollectorWay,
  more: Pick<LoadOrder, 'signal' | 'items'>,
): Promise<Row> {
  const collector = await startCollector(way, bench);
  try {
    const order = orderOf(bench, { protocol: 'grpc', port: collector.ports.grpc, ...more });
    const begunMs = performance.now();
    const before = cpuOf(collector.pids);
    const measured = await runLoad(order, collector.pids);
    let stored = (await collector.countStored?.(more.signal)) ?? 0;
    for (let still = -1; still !== stored; ) {
      still = stored;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      stored = (await collector.countStored?.(more.signal)) ?? 0;
    }
    const seconds = (performance.now() - begunMs) / 1000 - 1;
    const { p50Ms, p95Ms, p99Ms, allItems } = measured;
    return {
      what: `Collector ${way} ${more.signal} ${more.items}`,
      itemsPerSecond: stored / seconds,
      itemsPerCpuSecond: stored / (cpuOf(collector.pids) - before),
      requestsPerSecond: stored / more.items / seconds,
      ...{ p50Ms, p95Ms, p99Ms },
      rssMb: peakRss(collector.pids),
      note: `${stored} stored of ${allItems} acknowledged ${refusedOf(measured)}`,
    };
  } finally {
    await collector.stop();
  }
}

const told = (stored: number, acknowledged: number): string =>
  stored === acknowledged ? 'all stored' : `${stored} STORED OF ${acknowledged} acknowledged`;

/** The whole way: acknowledged, stored, found by queries after the server has ended; CPU of all of it, PostgreSQL's as well. */
export async function measureStored(
  bench: Bench,
  {
    tenants = [TENANT],
    what,
    ...more
  }: Pick<LoadOrder, 'signal'> & Partial<LoadOrder> & { tenants?: readonly string[]; what?: string },
): Promise<Row> {
  const server = await startOurServer({ built: bench.built, tenants });
  try {
    const order = orderOf(bench, {
      protocol: 'grpc',
      port: server.ports[more.protocol ?? 'grpc'],
      ca: server.ca,
      tokens: tenants.map(tokenOf),
      ...more,
    });
    const usedBefore = readUsage(server.pids[0] as number);
    const measured = await runLoad(order, server.pids);
    const behindSeconds = await server.waitUntilStored();
    const used = readUsage(server.pids[0] as number);
    await server.end();
    const stored = (await countRows(server.dataDir, tenants))[order.signal];
    const cpuSeconds = used.cpuSeconds + used.childCpuSeconds - usedBefore.cpuSeconds - usedBefore.childCpuSeconds;
    const seconds = measured.allSeconds + behindSeconds;
    const { p50Ms, p95Ms, p99Ms, allItems } = measured;
    const all = told(stored, allItems);
    return {
      what: what ?? `ours stored ${order.protocol} ${order.signal} ${order.items}`,
      itemsPerSecond: stored / seconds,
      itemsPerCpuSecond: stored / cpuSeconds,
      requestsPerSecond: stored / order.items / seconds,
      ...{ p50Ms, p95Ms, p99Ms },
      rssMb: used.peakRssMb,
      note: `${all}, ${behindSeconds.toFixed(1)} s behind ${refusedOf(measured)}`,
    };
  } finally {
    await server.stop();
  }
}

/** Its own waiting for a core is not the server's: its sender goes before all others, alone as well. */
const QUIET = { items: 20, rate: 20, concurrency: 8, connections: 1, priority: -5 } as const;

async function askQuietly(bench: Bench, server: OurServer): Promise<Measured> {
  const order = {
    protocol: 'grpc',
    signal: 'traces',
    port: server.ports.grpc,
    ca: server.ca,
    tokens: [tokenOf('quiet')],
  } as const;
  return await runLoad(orderOf(bench, { ...order, ...QUIET }), server.pids);
}

/** A quiet tenant's latency by itself, and beside one that sends as fast as it can. */
export async function measureFlood(bench: Bench): Promise<Row[]> {
  const server = await startOurServer({ built: bench.built, tenants: ['quiet', 'flood'] });
  const rowOf = (what: string, { items, seconds, p50Ms, p95Ms, p99Ms }: Measured, note: string): Row => ({
    what,
    itemsPerSecond: items / seconds,
    itemsPerCpuSecond: Number.NaN,
    requestsPerSecond: items / QUIET.items / seconds,
    ...{ p50Ms, p95Ms, p99Ms },
    rssMb: peakRss(server.pids),
    note,
  });
  try {
    const first = await askQuietly(bench, server);
    const alone = rowOf('quiet tenant alone', first, '');
    const flood = orderOf(bench, {
      ...{ protocol: 'grpc', signal: 'traces', port: server.ports.grpc, ca: server.ca, tokens: [tokenOf('flood')] },
      seconds: bench.seconds + WARM_SECONDS,
    });
    const [quiet, flooding] = await Promise.all([askQuietly(bench, server), runLoad(flood, server.pids)]);
    const ratio = `p95 ${(quiet.p95Ms / alone.p95Ms).toFixed(1)} times; the flood had ${Math.round(flooding.items / flooding.seconds)} spans/s acknowledged`;
    const beside = rowOf('quiet tenant beside a flood', quiet, ratio);
    await server.waitUntilStored();
    await server.end();
    const stored = (await countRows(server.dataDir, ['quiet', 'flood'])).traces;
    return [alone, { ...beside, note: `${ratio}; ${told(stored, first.allItems + quiet.allItems + flooding.allItems)}` }];
  } finally {
    await server.stop();
  }
}

const KILLED_REQUESTS = 200;

export interface Survived {
  what: string;
  acknowledged: number;
  found: string;
}

const killOrder = (bench: Bench, subject: Subject, more: Partial<LoadOrder>): LoadOrder =>
  orderOf(bench, {
    ...{ protocol: 'grpc', signal: 'traces', port: subject.ports.grpc, requests: KILLED_REQUESTS, concurrency: 100 },
    ...more,
  });

/** kill -9 at the last acknowledgement; what queries find after a restart. */
export async function killOurs(bench: Bench): Promise<Survived> {
  const server = await startOurServer({ built: bench.built, tenants: [TENANT] });
  try {
    const { allItems } = await runLoad(killOrder(bench, server, { ca: server.ca, tokens: [tokenOf(TENANT)] }), server.pids);
    await server.kill();
    const again = await startOurServer({ built: bench.built, tenants: [TENANT], dataDir: server.dataDir });
    await again.waitUntilStored().finally(again.end);
    const { traces } = await countRows(server.dataDir, [TENANT]);
    await again.stop();
    return { what: 'ours', acknowledged: allItems, found: `${traces} spans` };
  } finally {
    await server.stop();
  }
}

export async function killCollector(bench: Bench, way: CollectorWay): Promise<Survived> {
  const collector = await startCollector(way, bench);
  try {
    const { allItems, allBytes } = await runLoad(killOrder(bench, collector, {}), collector.pids);
    await collector.kill();
    const found = collector.countStored
      ? `${await collector.countStored('traces')} spans`
      : `${((sizeOf(collector.file) / allBytes) * 100).toFixed(1)} % of the bytes`;
    return { what: `Collector ${way}`, acknowledged: allItems, found };
  } finally {
    await collector.stop();
    rmSync(collector.file, { force: true });
  }
}

interface Receiving {
  protocol: Protocol;
  signal: Signal;
  items: number;
}

export async function receivingRow(bench: Bench, kind: 'bare' | 'ours', { protocol, ...more }: Receiving): Promise<Row> {
  const subject = await startReceiverProcess(kind, bench);
  const order = orderOf(bench, { protocol, port: subject.ports[protocol], ...more });
  const what = `${kind === 'bare' ? 'bare' : 'ours received'} ${protocol} ${more.signal} ${more.items}`;
  return await measureReceiving(what, subject, order);
}

export async function collectorRow(bench: Bench, way: CollectorWay, { protocol, ...more }: Receiving): Promise<Row> {
  const subject = await startCollector(way, bench);
  const order = orderOf(bench, { protocol, port: subject.ports[protocol], ...more });
  return await measureReceiving(`Collector ${way} ${protocol} ${more.signal} ${more.items}`, subject, order);
}
