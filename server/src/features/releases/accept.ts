import { createHash } from 'node:crypto';
import { AGENT_PROTOCOL } from '@svc/contracts/agent/version';
import { parseReleaseFeed, type ReleaseFeed, type ReleaseFile } from '@svc/contracts/releases/release-feed';
import { isReleaseSigned } from '@svc/contracts/releases/release-signature';
import { RINGS } from '@svc/contracts/releases/rings';
import { AppError } from '#kernel';
import type { ReleaseAction, ReleaseDeps, ReleaseWriteDeps } from './context.ts';
import { checkStep } from './domain/check-step.ts';
import { artefactKey, readSigned, ringKey, versionKey, writeSigned } from './store.ts';

/** A feed with its signature as somebody hands it in. */
export interface Candidate {
  text: string;
  signature: string;
}

const refuse = (message: string): AppError => new AppError('conflict', message);

/** The feed that this candidate is; AppError `unauthorized` unless one of our keys signed it. */
export function readCandidate({ publicKeys }: ReleaseDeps, { text, signature }: Candidate): ReleaseFeed {
  if (publicKeys.length === 0)
    throw new AppError('bad_request', 'SVC_RELEASE_PUBLIC_KEY must be set: it names the key that releases are checked with.');
  const bytes = Buffer.from(text, 'utf8');
  if (!isReleaseSigned(bytes, Buffer.from(signature, 'utf8'), publicKeys))
    throw new AppError('unauthorized', 'The feed was not signed by a key of SVC_RELEASE_PUBLIC_KEY, or was changed afterwards.');
  const feed = parseReleaseFeed(bytes);
  if (!feed) throw new AppError('bad_request', 'The feed is signed but is not a release feed that this version can read.');
  return feed;
}

/** Name of the artefact that a feed's file is. */
export const nameOf = ({ url }: ReleaseFile): string => decodeURIComponent(url.split('/').at(-1) ?? '');

/** Base64 SHA-512, as feeds have it. */
export async function hashOf(body: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash('sha512');
  for await (const chunk of body) hash.update(chunk as Buffer);
  return hash.digest('base64');
}

/** Whether a file lies in the store with the size and hash that were signed. */
export async function isStored({ blobs }: ReleaseDeps, version: string, file: ReleaseFile): Promise<boolean> {
  const found = await blobs.open(artefactKey(version, nameOf(file)));
  if (!found) return false;
  const hash = await hashOf(found.body);
  return found.info.size === file.size && hash === file.sha512;
}

async function refuseMissingFiles(deps: ReleaseDeps, { version, files }: ReleaseFeed): Promise<void> {
  for (const file of files) {
    if (!(await isStored(deps, version, file)))
      throw refuse(`${nameOf(file)} of ${version} is missing or is not the file that was signed.`);
  }
}

function refuseStrangeFiles({ version, files }: ReleaseFeed): void {
  const strange = files.find(({ url }) => !url.startsWith(`files/${version}/`));
  if (strange) throw refuse(`${strange.url} does not belong to ${version}.`);
}

async function refuseBadStep(deps: ReleaseDeps, feed: ReleaseFeed): Promise<void> {
  const { blobs } = deps;
  const earlier = RINGS[RINGS.indexOf(feed.ring) - 1];
  const of = async (key: string | undefined) => (key ? (await readSigned(blobs, key))?.feed : undefined);
  const reason = checkStep(feed, {
    current: await of(ringKey(feed.ring, feed.feed)),
    before: await of(earlier && ringKey(earlier, feed.feed)),
    known: await of(versionKey(feed.version, feed.feed)),
    protocol: deps.protocol ?? AGENT_PROTOCOL,
    nowMs: deps.clock.now(),
  });
  if (reason) throw refuse(reason);
}

export interface Acceptance {
  action: ReleaseAction['action'];
  /** Brings the files into the store, once the feeds may go where they want to. */
  upload?: (feeds: readonly ReleaseFeed[]) => Promise<void>;
}

/**
 * Puts signed feeds of one version and ring in force, all or none of them as far as can be checked before. Refuses with `unauthorized`
 * (signature), `conflict` (step, files) and `bad_request`. Runs inside of `alone`. The trail is written before the rings: a crash between
 * leaves an entry too many, never a release without one.
 */
export async function acceptFeeds(
  deps: ReleaseWriteDeps,
  candidates: readonly Candidate[],
  { action, upload }: Acceptance,
): Promise<ReleaseFeed[]> {
  const feeds = candidates.map((candidate) => readCandidate(deps, candidate));
  const [first] = feeds;
  if (!first) throw new AppError('bad_request', 'There is no feed to publish.');
  const { version, ring } = first;
  if (feeds.some((feed) => feed.version !== version || feed.ring !== ring))
    throw new AppError('bad_request', 'The feeds are of different versions or rings.');
  for (const feed of feeds) {
    refuseStrangeFiles(feed);
    await refuseBadStep(deps, feed);
  }
  await upload?.(feeds);
  for (const feed of feeds) await refuseMissingFiles(deps, feed);
  await deps.audit({ action, version, ring, feeds: feeds.length });
  for (const [index, feed] of feeds.entries()) {
    const candidate = candidates[index];
    if (!candidate) continue;
    const key = versionKey(version, feed.feed);
    if (!(await deps.blobs.stat(key))) await writeSigned(deps.blobs, key, candidate);
    await writeSigned(deps.blobs, ringKey(ring, feed.feed), candidate);
  }
  return feeds;
}
