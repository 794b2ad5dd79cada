import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Sealer } from '#crypto';
import type { TenantId } from '#kernel';
import type { KnownHead } from './domain/known-head.ts';
import { createHeadFollower, type FollowDeps } from './follow-heads.ts';
import { createHeadsFile, type HeadsFile, type KnownHeads } from './heads-file.ts';

const TICK_MS = 1000;

export interface HeadsDeps extends FollowDeps {
  sealer: Pick<Sealer, 'seal' | 'open'>;
  /** Of this process; each server of a fleet has its own. */
  dataDir: string;
}

/** What this server remembers of each tenant's chain, outside of the database: `audit-heads` in its data directory. */
export interface Heads {
  /** The remembered end of a tenant's chain; undefined where nothing is remembered. */
  recall(tenant: TenantId): Promise<KnownHead | undefined>;
  /** The chain has grown or is about to: it is looked at within a second. */
  note(tenant: TenantId): void;
  /** From now on this end counts, also where it lies before the remembered one; a server beside this process learns it by a file. */
  accept(tenant: TenantId, head: KnownHead): Promise<void>;
  /** Looks at chains each second and writes what changed. */
  start(): Promise<void>;
  /** Looks once more at what changed last. */
  close(): Promise<void>;
}

/** Takes over what a person accepted, as long as nothing later is remembered; true where that changes anything. */
function mergeAccepted(heads: KnownHeads, accepted: KnownHeads): boolean {
  let isNew = false;
  for (const [tenant, head] of accepted) {
    const known = heads.get(tenant);
    if (known && (head.atMs <= known.atMs || known.hash.equals(head.hash))) continue;
    heads.set(tenant, head);
    isNew = true;
  }
  return isNew;
}

/** What a server remembers and what a person accepted, each in a file that only its own side writes. */
function openFiles(dataDir: string, sealer: HeadsDeps['sealer'], log: FastifyBaseLogger) {
  const path = join(dataDir, 'audit-heads');
  const file = createHeadsFile(path, sealer);
  const acceptedFile = createHeadsFile(`${path}.accepted`, sealer);
  let acceptedVersion = '';
  const readOrWarn = async (from: HeadsFile): Promise<KnownHeads> =>
    await from.read().catch((error: unknown) => {
      log.error({ err: error }, 'the remembered ends of the audit trails cannot be read: a cut from before now is not noticed');
      return new Map();
    });
  return {
    write: file.write,
    /** For the server, which begins anew where its file does not open; that file is kept, so that it can be looked at. */
    async open(): Promise<KnownHeads> {
      return await file.read().catch(async (error: unknown) => {
        await rename(path, `${path}.unreadable`);
        log.error(
          { err: error },
          'the remembered ends of the audit trails do not open (audit-heads.unreadable): they begin anew',
        );
        return new Map();
      });
    },
    /** For a command beside a server or alone. */
    async peek(): Promise<KnownHeads> {
      const heads = await readOrWarn(file);
      mergeAccepted(heads, await readOrWarn(acceptedFile));
      return heads;
    },
    /** Brings into `heads` what was accepted since the last call; true where that changes anything. */
    async takeAccepted(heads: KnownHeads): Promise<boolean> {
      const version = await acceptedFile.version();
      if (version === acceptedVersion) return false;
      acceptedVersion = version;
      return mergeAccepted(heads, await readOrWarn(acceptedFile));
    },
    async accept(tenant: TenantId, head: KnownHead): Promise<void> {
      const accepted = await readOrWarn(acceptedFile);
      await acceptedFile.write(accepted.set(tenant, head));
    },
  };
}

export function createHeads(deps: HeadsDeps): Heads {
  const files = openFiles(deps.dataDir, deps.sealer, deps.log);
  const follower = createHeadFollower(deps);
  /** Undefined in a command: it reads the files of the server beside it. */
  let followed: KnownHeads | undefined;
  let isUnwritten = false;
  let quietUntilMs = 0;
  let ticking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function write(heads: KnownHeads): Promise<void> {
    const began = performance.now();
    isUnwritten = false;
    await files.write(heads).catch((error: unknown) => {
      isUnwritten = true;
      throw error;
    });
    // A twentieth of the time at most: thousands of tenants on a slow disk are written less often.
    quietUntilMs = performance.now() + 20 * (performance.now() - began);
  }

  async function lookAndWrite(heads: KnownHeads, atOnce: boolean): Promise<void> {
    try {
      if (await files.takeAccepted(heads)) isUnwritten = true;
      if (await follower.lookAround(heads)) isUnwritten = true;
      if (isUnwritten && (atOnce || performance.now() >= quietUntilMs)) await write(heads);
    } catch (error) {
      deps.log.warn({ err: error }, 'the ends of the audit trails could not be remembered');
    }
  }

  return {
    async recall(tenant) {
      if (!followed) return (await files.peek()).get(tenant);
      if (await files.takeAccepted(followed)) isUnwritten = true;
      return followed.get(tenant);
    },
    note(tenant) {
      if (followed) follower.watch(tenant);
    },
    accept: files.accept,
    async start() {
      const heads = await files.open();
      followed = heads;
      timer = setInterval(() => {
        ticking ??= lookAndWrite(heads, false).finally(() => {
          ticking = undefined;
        });
      }, TICK_MS).unref();
    },
    async close() {
      clearInterval(timer);
      await ticking;
      if (followed) await lookAndWrite(followed, true);
    },
  };
}
