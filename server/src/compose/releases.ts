import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readReleaseKey } from '@svc/contracts/releases/release-signature';
import { createFolderBlobs } from '#blobs';
import { AppError, isTenantId, systemClock } from '#kernel';
import { listTenants, type Relational, releaseLease, takeLease } from '#relational';
import type { Config } from '../config.ts';
import { createAppendAudit } from '../features/audit/append.ts';
import { createReleaseDesk, type ReleaseAction } from '../features/releases/index.ts';

/** Longer than the largest upload takes; a command that was killed holds the next one up for so long at most. */
const PUBLISH_LEASE_MS = 10 * 60_000;

/** One at a time over all replicas. */
async function publishAlone<T>(relational: Relational, work: () => Promise<T>): Promise<T> {
  const lease = { name: 'releases', holder: randomUUID(), ttlMs: PUBLISH_LEASE_MS };
  if (!(await takeLease(relational, lease))) throw new AppError('conflict', 'Somebody else is publishing a release right now.');
  return await work().finally(() => releaseLease(relational, lease));
}

/** An entry in the trail of every tenant: a release reaches the devices of all of them. */
async function auditRelease(relational: Relational, { action, version, ring, feeds }: ReleaseAction): Promise<void> {
  const append = createAppendAudit(systemClock);
  const actor = { kind: 'system' as const, id: 'cli' };
  for (const { id } of await listTenants(relational)) {
    if (!isTenantId(id)) continue;
    const entry = { actor, action, object: { type: 'release', id: version }, detail: { ring, feeds } };
    await relational.withTenantSql(id, async (sql) => await append(sql, entry));
  }
}

/** Releases as the command line changes them, in the blob store of the data directory. */
export const composeReleaseDesk = (config: Pick<Config, 'dataDir' | 'releases'>, relational: Relational) =>
  createReleaseDesk({
    blobs: createFolderBlobs(join(config.dataDir, 'blobs')),
    clock: systemClock,
    publicKeys: config.releases.publicKeys.map(readReleaseKey),
    audit: async (action) => await auditRelease(relational, action),
    alone: async (work) => await publishAlone(relational, work),
  });
export type ReleaseDesk = ReturnType<typeof composeReleaseDesk>;
