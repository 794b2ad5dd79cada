import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

/** A real ClickHouse server on 127.0.0.1 with a password. */
export interface ClickHouseServer {
  /** http://user:password@127.0.0.1:port, as SVC_CLICKHOUSE_URL takes it. */
  url: string;
  port: number;
  /** ClickHouse's own protocol, with the same user. */
  tcpPort: number;
  /** Of the process that runs now. */
  pid(): number;
  /** kill -9; the data stay and `start` finds them. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** Why no server can be started here, in a sentence for the test's output; undefined where it can. */
export function clickHouseUnavailable(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return `the ClickHouse server for tests runs on Linux x64 only, not on ${process.platform} ${process.arch}`;
  if (existsSync('/lib/ld-musl-x86_64.so.1')) return 'the ClickHouse server for tests needs glibc';
  return undefined;
}

const READY_MS = 20_000;
const ENGINE = fileURLToPath(new URL('./clickhouse-engine.ts', import.meta.url));

/** `default` is the engine's own console, which must not have a password; tests come as `svc` and need theirs. */
const usersXml = (password: string): string => `<clickhouse>
  <profiles><default></default></profiles>
  <quotas><default></default></quotas>
  <users>
    <default>
      <no_password></no_password>
      <networks><ip>::1</ip></networks>
      <profile>default</profile><quota>default</quota>
    </default>
    <svc>
    <password>${password}</password>
    <networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota>
    </svc>
  </users>
</clickhouse>`;

async function waitUntilReady(port: number, child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`ClickHouse ended at start: ${output()}`);
    const answer = await fetch(`http://127.0.0.1:${port}/ping`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(50);
  }
  throw new Error(`ClickHouse was not ready within ${READY_MS} ms: ${output()}`);
}

/** Starts a server with an empty store. Stop it in the end: it is a process of its own. */
export async function startClickHouse(): Promise<ClickHouseServer> {
  const unavailable = clickHouseUnavailable();
  if (unavailable) throw new Error(unavailable);
  const home = await mkdtemp(join(tmpdir(), 'svc-clickhouse-'));
  const password = randomBytes(12).toString('hex');
  const [http, tcp] = [await freePort(), await freePort()];
  const users = join(home, 'users.xml');
  const config = join(home, 'config.xml');
  await mkdir(join(home, 'data'));
  await writeFile(users, usersXml(password), { mode: 0o600 });
  await writeFile(config, `<clickhouse><users_config>${users}</users_config></clickhouse>`);
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    let said = '';
    const started = spawn(process.execPath, [ENGINE, join(home, 'data'), String(http), String(tcp), config], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: home,
    });
    child = started;
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (chunk) => {
        said = `${said}${chunk}`.slice(-4000);
      });
    await waitUntilReady(http, started, () => said);
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child?.once('exit', resolve));
    child.kill(signal);
    const killer = setTimeout(() => child?.kill('SIGKILL'), 10_000);
    await gone;
    clearTimeout(killer);
  }

  try {
    await start();
  } catch (error) {
    await end('SIGKILL');
    await rm(home, { recursive: true, force: true });
    throw error;
  }
  return {
    url: `http://svc:${password}@127.0.0.1:${http}`,
    port: http,
    tcpPort: tcp,
    pid: () => child?.pid ?? 0,
    start,
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM');
      await rm(home, { recursive: true, force: true });
    },
  };
}
