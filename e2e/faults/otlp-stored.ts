import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { expect, vi } from 'vitest';
import { parseTenantId } from '../../server/src/kernel/index.ts';
import { openTelemetry } from '../../server/src/telemetry/index.ts';
import { ITEMS, type OtlpSignal, UNCOUNTED } from './otlp-requests.ts';
import { METRICS_TOKEN, OTLP_TENANT, type OtlpSender } from './otlp-senders.ts';
import type { Installation } from './server-process.ts';

/** Records of one request as the store has them. */
export interface StoredRequest {
  number: number;
  rows: number;
  /** Different records among them. */
  records: number;
}

export type ReadRows = <Row>(sql: string) => Promise<Row[]>;

const spansOf = (table: 'spans' | 'logs') => `SELECT reinterpretAsUInt32(reverse(substring(span_id, 1, 4))) AS number,
  toUInt32(count()) AS rows, toUInt32(uniqExact(span_id)) AS records FROM ${table} WHERE tenant_id = {tenant:String} GROUP BY number`;

const SQL: Readonly<Record<OtlpSignal, string>> = {
  traces: spansOf('spans'),
  logs: spansOf('logs'),
  // The same point written again is one to every reader.
  metrics: `SELECT toUInt32(value) AS number, toUInt32(uniqExact(fp, ts)) AS rows, toUInt32(uniqExact(ts)) AS records
    FROM metric_points WHERE tenant_id = {tenant:String} AND metric = 'carts' GROUP BY number`,
};

export const readStored = (read: ReadRows, signal: OtlpSignal): Promise<StoredRequest[]> => read<StoredRequest>(SQL[signal]);

/** Opens the embedded ClickHouse of a server that has ended. */
export async function withStore<Result>({ dataDir }: Installation, work: (read: ReadRows) => Promise<Result>): Promise<Result> {
  const migrationsDir = fileURLToPath(new URL('../../clickhouse/migrations', import.meta.url));
  const telemetry = await openTelemetry({ dataDir, migrationsDir, log: pino({ level: 'silent' }) });
  try {
    const { store } = telemetry;
    return await work((sql) => store.read(parseTenantId(OTLP_TENANT), sql, {}, { timeoutMs: 30_000 }));
  } finally {
    await telemetry.close();
  }
}

/** Each acknowledged record is there once, and what was sent without an answer is there once or not at all. */
export async function expectStoredOnce(read: ReadRows, senders: readonly OtlpSender[]): Promise<void> {
  for (const { signal, acknowledged } of senders) {
    const stored = (await readStored(read, signal)).filter(({ number }) => number < UNCOUNTED);
    const numbers = new Set(stored.map(({ number }) => number));
    expect({ signal, lost: [...acknowledged].filter((number) => !numbers.has(number)) }).toEqual({ signal, lost: [] });
    const wrong = stored.filter(({ rows, records }) => rows !== ITEMS || records !== ITEMS);
    expect({ signal, wrong }).toEqual({ signal, wrong: [] });
  }
}

function readMetrics({ http, dataDir }: Installation): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        ...{ host: '127.0.0.1', servername: 'localhost', port: http, path: '/metrics', agent: false },
        ca: readFileSync(join(dataDir, 'tls', 'ca.crt')),
        headers: { host: `localhost:${http}`, authorization: `Bearer ${METRICS_TOKEN}` },
      },
      (answer) => text(answer).then(resolve, reject),
    );
    call.on('error', reject);
    call.end();
  });
}

/** Consumers of the bus that are waited for: by a part of their topics' names, and how many there are at least. */
export const OTLP_CONSUMERS = { topic: 'svc.otlp.', least: 3 };

/** Resolves when nothing waits on the bus before these consumers. */
export async function waitUntilStored(installation: Installation, { topic, least } = OTLP_CONSUMERS): Promise<void> {
  await vi.waitFor(
    async () => {
      const lines = (await readMetrics(installation))
        .split('\n')
        .filter((line) => line.startsWith('svc_bus_lag{') && line.includes(topic));
      expect(lines.length).toBeGreaterThanOrEqual(least);
      const waiting = lines.filter((line) => !/\} 0( |$)/.test(line));
      expect(waiting).toEqual([]);
    },
    { timeout: 60_000, interval: 200 },
  );
}
