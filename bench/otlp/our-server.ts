import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startTestingServer, type TestingServer } from '@svc/simulator/testing-server';
import { freePort } from '@svc/testkit/free-port';
import { pino } from 'pino';
import { parseTenantId } from '../../server/src/kernel/index.ts';
import { openTelemetry } from '../../server/src/telemetry/index.ts';
import type { Signal } from './payload.ts';
import type { Subject } from './subjects.ts';

export interface OurServer extends Subject {
  dataDir: string;
  ca: string;
  /** Resolves when the bus holds nothing that is not stored; seconds that it took. */
  waitUntilStored(): Promise<number>;
  /** Drains and ends it; the data stay. */
  end(): Promise<void>;
}

export interface OurOptions {
  built: boolean;
  /** Tokens, each of the tenant of the same name. */
  tenants: readonly string[];
  /** Of a server that ended, whose data it goes on with. */
  dataDir?: string;
}

const METRICS_TOKEN = 'bench-metrics-token-of-32-characters';
const STORED_LIMIT_MS = 300_000;
export const tokenOf = (tenant: string): string => `token-of-${tenant}-0123456789abcdef`;

function readMetrics({ url }: TestingServer, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}/metrics`, { ca, headers: { authorization: `Bearer ${METRICS_TOKEN}` } }, (answer) => {
      text(answer).then(
        (body) => (answer.statusCode === 200 ? resolve(body) : reject(new Error(`/metrics: ${answer.statusCode}`))),
        reject,
      );
    });
    call.once('error', reject);
    call.end();
  });
}

/** Messages of OTLP that no consumer has finished. */
function readLag(metrics: string): number {
  const lines = metrics.split('\n').filter((line) => line.startsWith('svc_bus_lag{') && line.includes('svc.otlp.'));
  if (lines.length === 0) throw new Error('the server tells no lag of OTLP');
  return lines.reduce(
    (sum, line) =>
      sum +
      Number(
        line
          .slice(line.lastIndexOf('}') + 1)
          .trim()
          .split(' ')[0],
      ),
    0,
  );
}

/** The product with its embedded stores and the receiver on free ports. */
export async function startOurServer({ built, tenants, dataDir }: OurOptions): Promise<OurServer> {
  const [grpc, http] = [await freePort(), await freePort()];
  const server = await startTestingServer({
    built,
    env: {
      SVC_OTLP_GRPC_ADDR: `127.0.0.1:${grpc}`,
      SVC_OTLP_HTTP_ADDR: `127.0.0.1:${http}`,
      SVC_OTLP_TOKENS: tenants.map((tenant) => `${tokenOf(tenant)}=${tenant}`).join(','),
      SVC_METRICS_TOKEN: METRICS_TOKEN,
      ...(dataDir === undefined ? {} : { SVC_DATA_DIR: dataDir }),
    },
  });
  const ca = readFileSync(join(server.dataDir, 'tls', 'ca.crt'), 'utf8');
  return {
    dataDir: server.dataDir,
    ca,
    ports: { grpc, http },
    pids: [server.pid],
    async waitUntilStored() {
      const begunMs = performance.now();
      while (readLag(await readMetrics(server, ca)) > 0) {
        if (performance.now() - begunMs > STORED_LIMIT_MS) throw new Error('not stored in time');
        await sleep(100);
      }
      return (performance.now() - begunMs) / 1000;
    },
    async kill() {
      process.kill(server.pid, 'SIGKILL');
      await server.end();
    },
    end: server.end,
    stop: server.stop,
  };
}

const TABLES: Readonly<Record<Signal, readonly string[]>> = {
  traces: ['spans'],
  logs: ['logs'],
  metrics: ['metric_points', 'metric_histograms'],
};

/** Rows of the signals in the embedded ClickHouse of a server that has ended, of all these tenants. */
export async function countRows(dataDir: string, tenants: readonly string[]): Promise<Record<Signal, number>> {
  const migrationsDir = fileURLToPath(new URL('../../clickhouse/migrations', import.meta.url));
  const telemetry = await openTelemetry({ dataDir, migrationsDir, log: pino({ level: 'warn' }) });
  const { store } = telemetry;
  const count = async (table: string, tenant: string): Promise<number> => {
    const sql = `SELECT count() AS n FROM ${table} WHERE tenant_id = {tenant:String}`;
    const [row] = await store.read<{ n: string | number }>(parseTenantId(tenant), sql, {}, { timeoutMs: 120_000 });
    return Number(row?.n ?? 0);
  };
  try {
    const counts = { traces: 0, logs: 0, metrics: 0 };
    for (const signal of ['traces', 'logs', 'metrics'] as const)
      for (const table of TABLES[signal]) for (const tenant of tenants) counts[signal] += await count(table, tenant);
    return counts;
  } finally {
    await telemetry.close();
  }
}
