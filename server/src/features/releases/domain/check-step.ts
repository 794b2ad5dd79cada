import { compareVersions, type ReleaseFeed } from '@svc/contracts/releases/release-feed';
import { RINGS } from '@svc/contracts/releases/rings';
import { findTimeFault } from './release-life.ts';

/** What is in force where the feed wants to go, where it must come from, and what this server speaks. */
export interface Standing {
  /** In force in the feed's ring. */
  current: ReleaseFeed | undefined;
  /** In force in the ring before it; undefined also for the first ring. */
  before: ReleaseFeed | undefined;
  /** As this version was accepted first, if it ever was. */
  known: ReleaseFeed | undefined;
  protocol: number;
  /** Of this server's clock. */
  nowMs: number;
}

const sameFiles = (a: ReleaseFeed, b: ReleaseFeed): boolean => {
  const textOf = ({ files }: ReleaseFeed) =>
    files
      .map(({ url, sha512, size }) => `${url} ${sha512} ${size}`)
      .sort()
      .join('\n');
  return textOf(a) === textOf(b);
};

/**
 * Why a signed feed must not take force, or undefined when it may: a version goes from ring to ring one at a time, never back unless it
 * is signed as a rollback, and never with other files than it had. What is in force may be signed again at any time.
 */
export function checkStep(feed: ReleaseFeed, { current, before, known, protocol, nowMs }: Standing): string | undefined {
  const { version, ring } = feed;
  const late = findTimeFault(feed, nowMs);
  if (late) return late;
  if (feed.minProtocol > protocol)
    return `${version} needs a control plane with protocol ${feed.minProtocol}; this one has ${protocol}: update it first.`;
  if (known && !sameFiles(feed, known))
    return `${version} was published with other files before: give the new files a new version.`;
  if (current && feed.serial <= current.serial) return `${ring} has a feed that was signed later; sign this one again.`;
  const order = current ? compareVersions(version, current.version) : 1;
  // What is in force, signed again for a later expiry.
  if (current && order === 0 && sameFiles(feed, current) && feed.rollback === current.rollback) return undefined;
  if (feed.rollback) {
    if (!current || order >= 0) return `${version} is no rollback for ${ring}, which has ${current?.version ?? 'nothing yet'}.`;
    return known ? undefined : `${version} was never published here: there is nothing to go back to.`;
  }
  if (order < 0) return `${ring} already has ${current?.version}: going back to ${version} must be signed as a rollback.`;
  const from = RINGS[RINGS.indexOf(ring) - 1];
  if (from === undefined) return undefined;
  return before?.version === version
    ? undefined
    : `${version} goes to ${ring} from ${from}, which has ${before?.version ?? 'nothing yet'}.`;
}
