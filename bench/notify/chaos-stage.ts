import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { makeAuthority, type Simulated, simulate } from '../../server/src/features/notify-providers/test-providers.ts';
import { findMigrationsDir, migrate, openRelational, startEmbeddedPostgres } from '../../server/src/relational/index.ts';
import { type VirtualBase, virtualNow } from './virtual-time.ts';
import { createWorld } from './world.ts';

/** What the chaos plays on: a database of its own, the six providers as servers, and replicas that can be killed. */

export const KINDS = ['pager_a', 'pager_b', 'chat_a', 'chat_b', 'ticket_a', 'ticket_b'] as const;
export type Kind = (typeof KINDS)[number];

/** Real milliseconds: a killed replica's messages are taken up after it. Longer than the time that a call may take. */
/** Longer than a reply at Slack takes at most: three calls of 1.5 s each, on a machine that has other work too. */
const LEASE_MS = 12_000;
const WORKER = join(import.meta.dirname, 'chaos-worker.ts');

function createReplicas(settings: string, count: number) {
  const children: (ChildProcess | undefined)[] = Array.from({ length: count }, () => undefined);
  let kills = 0;
  const start = async (at: number): Promise<void> => {
    const child = fork(WORKER, [settings], {
      execArgv: ['--conditions=svc-source'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children[at] = child;
    await once(child, 'message');
  };
  return {
    kills: () => kills,
    start: async () => void (await Promise.all(children.map((_, at) => start(at)))),
    /** kill -9 of one, and another in its place. */
    async kill(at: number): Promise<void> {
      const child = children[at];
      if (!child) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      kills += 1;
      await start(at);
    },
    async stop(): Promise<void> {
      for (const child of children) {
        const ended = child && once(child, 'exit');
        child?.kill('SIGKILL');
        await ended;
      }
    },
  };
}

/** Kills one connection's process of PostgreSQL: it throws all others out, and recovers as after a crash. */
async function crashDatabase(superUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: superUrl });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
  await client.end().catch(() => {});
}

export async function setStage({ speed, replicas }: { speed: number; replicas: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-notify-chaos-'));
  const log = pino({ level: 'silent' });
  const postgres = await startEmbeddedPostgres({ cluster: join(folder, 'cluster'), logDir: folder, log });
  await migrate(postgres.ownerUrl, findMigrationsDir());
  const base: VirtualBase = { realMs: Date.now(), speed };
  const now = virtualNow(base);
  const authority = await makeAuthority();
  const sims = Object.fromEntries(
    await Promise.all(KINDS.map(async (kind) => [kind, await simulate(kind, authority, { now })] as const)),
  ) as Record<Kind, Simulated>;
  const key = randomBytes(32);
  const relational = await openRelational({ appUrl: postgres.appUrl, log, poolSize: 6 });
  const providers = Object.fromEntries(KINDS.map((kind) => [kind, sims[kind].provider]));
  const world = createWorld({ relational, key, providers, now });
  const settings = { appUrl: postgres.appUrl, key: key.toString('hex'), ca: authority.ca, base, leaseMs: LEASE_MS };
  const workers = createReplicas(JSON.stringify(settings), replicas);
  return {
    ...{ sims, relational, world, workers, now },
    crashDatabase: () => crashDatabase(postgres.superUrl),
    async close(): Promise<void> {
      await workers.stop();
      await relational.close();
      for (const kind of KINDS) await sims[kind].sim.close();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Stage = Awaited<ReturnType<typeof setStage>>;
