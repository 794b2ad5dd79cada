import { RELEASE_FEEDS, type ReleaseFeed, releaseFeedText } from '@svc/contracts/releases/release-feed';
import { RINGS, type Ring } from '@svc/contracts/releases/rings';
import { AppError } from '#kernel';
import { acceptFeeds, type Candidate } from './accept.ts';
import type { ReleaseDeps, ReleaseWriteDeps } from './context.ts';
import { chooseExpiry } from './domain/release-life.ts';
import { sign } from './publish.ts';
import { readRing, readSigned, versionKey } from './store.ts';

/**
 * Signs a version that was published here for another ring and puts it in force there: the next one, or with `rollback` any that has a
 * later version. `not_found` for a version that was never published.
 */
export async function promoteVersion(
  deps: ReleaseWriteDeps,
  { version, ring, rollback, expiresAt }: { version: string; ring: Ring; rollback: boolean; expiresAt?: Date },
  pem: string,
): Promise<ReleaseFeed[]> {
  return await deps.alone(async () => {
    const candidates: Candidate[] = [];
    for (const name of RELEASE_FEEDS) {
      const known = await readSigned(deps.blobs, versionKey(version, name));
      if (!known) continue;
      candidates.push(signAgain(deps, { ...known.feed, ring, rollback }, { expiresAt, pem }));
    }
    if (candidates.length === 0) throw new AppError('not_found', `${version} was never published here.`);
    return await acceptFeeds(deps, candidates, { action: rollback ? 'release.rollback' : 'release.promote' });
  });
}

/**
 * Signs what is in force anew, in one ring or in all, so that devices go on believing it; each ring as a whole or not at all. Gives the
 * feeds that are in force now; `not_found` where no ring has a release.
 */
export async function renewReleases(
  deps: ReleaseWriteDeps,
  { ring, expiresAt }: { ring?: Ring; expiresAt?: Date },
  pem: string,
): Promise<ReleaseFeed[]> {
  return await deps.alone(async () => {
    const renewed: ReleaseFeed[] = [];
    for (const one of ring ? [ring] : RINGS) {
      const inForce = [...(await readRing(deps.blobs, one)).values()];
      // Platforms may be at different versions.
      for (const version of new Set(inForce.map(({ feed }) => feed.version))) {
        const feeds = inForce.filter(({ feed }) => feed.version === version);
        const candidates = feeds.map(({ feed }) => signAgain(deps, feed, { expiresAt, pem }));
        renewed.push(...(await acceptFeeds(deps, candidates, { action: 'release.renew' })));
      }
    }
    if (renewed.length === 0) throw new AppError('not_found', 'There is no release to sign again.');
    return renewed;
  });
}

function signAgain(
  { clock }: ReleaseDeps,
  feed: ReleaseFeed,
  { expiresAt, pem }: { expiresAt: Date | undefined; pem: string },
): Candidate {
  const nowMs = clock.now();
  const text = releaseFeedText({ ...feed, serial: nowMs, expiresAt: chooseExpiry(nowMs, expiresAt) });
  return { text, signature: sign(text, pem) };
}

export interface RingRelease {
  ring: Ring;
  feed: string;
  version: string;
  signedAtMs: number;
  /** Undefined for one that was signed before there was an expiry, which devices refuse. */
  expiresAtMs: number | undefined;
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
        expiresAtMs: feed.expiresAt === undefined ? undefined : Date.parse(feed.expiresAt),
        rollback: feed.rollback,
        files: feed.files.length,
        bytes: feed.files.reduce((sum, { size }) => sum + size, 0),
      });
    }
  }
  return found;
}
