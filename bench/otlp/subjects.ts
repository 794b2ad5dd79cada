import { type ChildProcess, fork, spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseServer, startClickHouse } from '@svc/testkit/clickhouse';
import { freePort } from '@svc/testkit/free-port';
import { nodeFlags } from '../../server/bin/node-flags.js';
import { type CollectorWay, writeCollectorConfig } from './collector-config.ts';
import type { Protocol } from './load-clients.ts';
import type { Signal } from './payload.ts';
import type { ReceiverOrder, ReceiverPorts } from './receiver.ts';

/** Something that receives OTLP, running. */
export interface Subject {
  ports: Readonly<Record<Protocol, number>>;
  /** Processes whose CPU and memory count. */
  pids: readonly number[];
  /** Rows that queries find now; undefined where nothing is stored. */
  countStored?: (signal: Signal) => Promise<number>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface Place {
  folder: string;
  tls: { key: string; cert: string; ca: string };
  token: string;
}

export const COLLECTOR = join(homedir(), '.cache', 'svc-collector', 'otelcol-bench');
/** Why the Collector's cells are skipped, in a sentence; undefined where they run. */
export const collectorUnavailable = (): string | undefined =>
  existsSync(COLLECTOR) ? undefined : `no Collector at ${COLLECTOR}: its integration test builds it, with Go`;

const LIMIT_MS = 20_000;
const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

export async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  await gone;
  clearTimeout(limit);
}

/** A receiver of receiver.ts. */
export async function startReceiverProcess(kind: ReceiverOrder['kind'], { tls, token }: Place): Promise<Subject> {
  const child = fork(join(import.meta.dirname, 'receiver.ts'), [], { execArgv: [...process.execArgv, ...nodeFlags] });
  const listening = new Promise<ReceiverPorts>((resolve, reject) => {
    child.once('message', resolve as (message: unknown) => void);
    child.once('exit', (code) => reject(new Error(`the receiver ended with ${code}`)));
  });
  child.send({ kind, tls, token } satisfies ReceiverOrder);
  const { grpc, http } = await listening;
  const end = (signal: NodeJS.Signals) => () => endChild(child, signal);
  return { ports: { grpc, http }, pids: [child.pid ?? 0], kill: end('SIGKILL'), stop: end('SIGTERM') };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

async function waitForPort(port: number, child: ChildProcess): Promise<void> {
  for (const limit = Date.now() + LIMIT_MS; !(await answers(port)); await sleep(50))
    if (hasEnded(child) || Date.now() > limit) throw new Error('the Collector does not listen');
}

const TABLES: Readonly<Record<Signal, string>> = {
  traces: 'SELECT count() AS n FROM otel.otel_traces',
  logs: 'SELECT count() AS n FROM otel.otel_logs',
  metrics: "SELECT sum(total_rows) AS n FROM system.tables WHERE database = 'otel' AND name LIKE 'otel_metrics%'",
};

async function countIn({ url }: ClickHouseServer, sql: string): Promise<number> {
  const { username, password, origin } = new URL(url);
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const answer = await fetch(`${origin}/?query=${encodeURIComponent(sql)}`, { headers: { authorization } });
  const said = await answer.text();
  // Its tables come with the first insert.
  if (!answer.ok) return 0;
  return Number(said.trim());
}

/** The Go Collector with one way through it; with a ClickHouse server where it stores into one. */
export async function startCollector(way: CollectorWay, { folder, tls, token }: Place): Promise<Subject & { file: string }> {
  const home = join(folder, `collector-${way}`);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const [grpc, http] = [await freePort(), await freePort()];
  const clickHouse = way.startsWith('clickhouse') ? await startClickHouse() : undefined;
  const config = join(home, 'config.yaml');
  const files = { cert: join(home, 'cert.pem'), key: join(home, 'key.pem'), out: join(home, 'out.bin') };
  writeFileSync(files.cert, tls.cert);
  writeFileSync(files.key, tls.key, { mode: 0o600 });
  writeFileSync(config, writeCollectorConfig(way, { grpc, http, token, files, clickHouse }));
  const child = spawn(COLLECTOR, ['--config', config], { stdio: 'ignore' });
  await waitForPort(grpc, child);
  await waitForPort(http, child);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await endChild(child, signal);
    if (signal === 'SIGTERM') await clickHouse?.stop();
  };
  return {
    file: files.out,
    ports: { grpc, http },
    pids: [child.pid ?? 0, ...(clickHouse ? [clickHouse.pid()] : [])],
    ...(clickHouse ? { countStored: (signal: Signal) => countIn(clickHouse, TABLES[signal]) } : {}),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  };
}

export const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0);
