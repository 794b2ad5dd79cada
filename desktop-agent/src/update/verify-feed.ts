import type { KeyObject } from 'node:crypto';
import { compareVersions, parseReleaseFeed, type ReleaseFeed, type ReleaseFeedName } from '@svc/contracts/releases/release-feed';
import { isReleaseSigned } from '@svc/contracts/releases/release-signature';
import type { Ring } from '@svc/contracts/releases/rings';
import { UpdateFault } from './update-fault.ts';

/** What this program and this device are, to hold a feed against. */
export interface Expected {
  keys: readonly KeyObject[];
  ring: Ring;
  feed: ReleaseFeedName;
  /** The version that runs. */
  version: string;
  /** Serial of the newest feed that was accepted of this ring, Unix milliseconds; 0: none yet. */
  lastSerial: number;
  /** When this version was built, Unix milliseconds. */
  builtAtMs: number;
  /** This device's clock. */
  nowMs: number;
}

export interface VerifiedFeed {
  feed: ReleaseFeed;
  /** The very bytes that were signed. */
  text: string;
  /** `none`: this version, or an older one that is no rollback. */
  step: 'newer' | 'rollback' | 'none';
}

function stepOf({ version, rollback, serial }: ReleaseFeed, expected: Expected): VerifiedFeed['step'] {
  const order = compareVersions(version, expected.version);
  if (order > 0) return 'newer';
  // A device that was installed anew has accepted no feed yet: a rollback from before it was built is an old one, played again.
  return order < 0 && rollback && serial > expected.builtAtMs ? 'rollback' : 'none';
}

/**
 * Whoever holds the server, or the way to it, can repeat the newest feed for as long as it was signed for and no longer. A clock that lags
 * is taken to be no earlier than what was signed and built before; one that runs ahead costs updates until it is set, and nothing else.
 */
function refuseExpired({ version, expiresAt, releaseDate }: ReleaseFeed, { nowMs, lastSerial, builtAtMs }: Expected): void {
  if (expiresAt === undefined)
    throw new UpdateFault('expired', `The feed of ${releaseDate} was signed without an expiry; the installed version stays.`);
  if (Date.parse(expiresAt) > Math.max(nowMs, lastSerial, builtAtMs)) return;
  const clock = new Date(nowMs).toISOString();
  throw new UpdateFault(
    'expired',
    `The update feed with ${version} expired on ${expiresAt}; the installed version stays. This device's clock says ${clock}.`,
  );
}

/** Checks a feed before anything that it names is asked for. The signature comes first: nothing unsigned is parsed. Throws UpdateFault. */
export function verifyFeed(bytes: Uint8Array, signature: Uint8Array, expected: Expected): VerifiedFeed {
  if (!isReleaseSigned(bytes, signature, expected.keys))
    throw new UpdateFault('bad_signature', 'The feed is not signed by a key that this program knows, or was changed afterwards.');
  const feed = parseReleaseFeed(bytes);
  if (!feed) throw new UpdateFault('bad_feed', 'The feed is signed, but this version cannot read it.');
  if (feed.ring !== expected.ring)
    throw new UpdateFault('wrong_ring', `The feed was signed for the ring ${feed.ring}, not for ${expected.ring}.`);
  if (feed.feed !== expected.feed)
    throw new UpdateFault('wrong_feed', `The feed was signed as ${feed.feed}, not as ${expected.feed}.`);
  if (feed.serial < expected.lastSerial)
    throw new UpdateFault('replayed', `The feed of ${feed.releaseDate} is older than one that was accepted before.`);
  refuseExpired(feed, expected);
  const strange = feed.files.find(({ url }) => !url.startsWith(`files/${feed.version}/`));
  if (strange) throw new UpdateFault('bad_feed', `${strange.url} does not belong to ${feed.version}.`);
  return { feed, text: Buffer.from(bytes).toString('utf8'), step: stepOf(feed, expected) };
}
