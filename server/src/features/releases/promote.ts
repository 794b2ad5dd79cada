import { RELEASE_FEEDS, type ReleaseFeed, releaseFeedText } from '@svc/contracts/release-feed';
import { RINGS, type Ring } from '@svc/contracts/rings';
import { AppError } from '#kernel';
import { acceptFeeds, type Candidate } from './accept.ts';
import type { ReleaseDeps, ReleaseWriteDeps } from './context.ts';
import { sign } from './publish.ts';
import { readRing, readSigned, versionKey } from './store.ts';

/**
 * Signs a version that was published here for another ring and puts it in force there: the next one, or with `rollback` any that has a
 * later version. `not_found` for a version that was never published.
 */
export async function promoteVersion(
  deps: ReleaseWriteDeps,
  { version, ring, rollback }: { version: string; ring: Ring; rollback: boolean },
  pem: string,
): Promise<ReleaseFeed[]> {
  return await deps.alone(async () => {
    const candidates: Candidate[] = [];
    for (const name of RELEASE_FEEDS) {
      const known = await readSigned(deps.blobs, versionKey(version, name));
      if (!known) continue;
      const text = releaseFeedText({ ...known.feed, ring, rollback, serial: deps.clock.now() });
      candidates.push({ text, signature: sign(text, pem) });
    }
    if (candidates.length === 0) throw new AppError('not_found', `${version} was never published here.`);
    return await acceptFeeds(deps, candidates, { action: rollback ? 'release.rollback' : 'release.promote' });
  });
}

export interface RingRelease {
  ring: Ring;
  feed: string;
  version: string;
  signedAtMs: number;
  rollback: boolean;
  files: number;
  bytes: number;
}

/** What is in force, ring by ring. */
export async function listReleases({ blobs }: Pick<ReleaseDeps, 'blobs'>): Promise<RingRelease[]> {
  const found: RingRelease[] = [];
  for (const ring of RINGS) {
    for (const [name, { feed }] of await readRing(blobs, ring)) {
      found.push({
        ring,
        feed: name,
        version: feed.version,
        signedAtMs: feed.serial,
        rollback: feed.rollback,
        files: feed.files.length,
        bytes: feed.files.reduce((sum, { size }) => sum + size, 0),
      });
    }
  }
  return found;
}
