import { createReadStream } from 'node:fs';
import { AGENT_PROTOCOL } from '@svc/contracts/agent/version';
import { RELEASE_BOUNDS, type ReleaseFeed, ReleaseVersion, releaseFeedText } from '@svc/contracts/releases/release-feed';
import { signRelease } from '@svc/contracts/releases/release-signature';
import type { Ring } from '@svc/contracts/releases/rings';
import { AppError } from '#kernel';
import { acceptFeeds, type Candidate, hashOf, isStored, nameOf } from './accept.ts';
import type { ReleaseWriteDeps } from './context.ts';
import { chooseExpiry } from './domain/release-life.ts';
import { type Artefact, describeFeeds, listArtefacts, readFolderVersion, readSignedFeeds } from './read-folder.ts';
import { artefactKey } from './store.ts';

/** A folder of packages on its way into a ring. */
export interface FolderRelease {
  folder: string;
  ring: Ring;
  /** Read from electron-builder's feeds in the folder where it is left out. */
  version?: string;
  rollback: boolean;
  /** One below this build's own where it is left out: what it works with. */
  minProtocol?: number;
  /** 90 days from the signing where it is left out; at most 400. */
  expiresAt?: Date;
}

/** Describes and signs a folder: a feed for each platform that it has files of. `pem` is the private key. */
export async function signFolder(
  release: FolderRelease,
  pem: string,
  nowMs: number,
): Promise<(Candidate & { feed: ReleaseFeed })[]> {
  const version = release.version ?? (await readFolderVersion(release.folder));
  if (!ReleaseVersion.safeParse(version).success)
    throw new AppError('bad_request', `"${version}" is not a version such as 1.2.0.`);
  const feeds = await describeFeeds(await listArtefacts(release.folder), version);
  if (feeds.size === 0) throw new AppError('bad_request', `The folder ${release.folder} has no package of the agent.`);
  return [...feeds].map(([name, files]) => {
    const feed: ReleaseFeed = {
      version,
      feed: name,
      ring: release.ring,
      serial: nowMs,
      rollback: release.rollback,
      minProtocol: release.minProtocol ?? Math.max(0, AGENT_PROTOCOL - 1),
      releaseDate: new Date(nowMs).toISOString(),
      expiresAt: chooseExpiry(nowMs, release.expiresAt),
      files,
    };
    const text = releaseFeedText(feed);
    return { feed, text, signature: sign(text, pem) };
  });
}

/** `bad_request` for what is no private key on P-256. */
export function sign(text: string, pem: string): string {
  try {
    return signRelease(Buffer.from(text, 'utf8'), pem);
  } catch (cause) {
    throw new AppError('bad_request', 'The key file has no P-256 private key. svc release keygen creates one.', { cause });
  }
}

/**
 * Brings in what the feeds name, after all of it was compared with what was signed, and the block maps. What lies there from an attempt
 * that was refused is replaced.
 */
async function uploadArtefacts(
  deps: ReleaseWriteDeps,
  artefacts: readonly Artefact[],
  feeds: readonly ReleaseFeed[],
): Promise<void> {
  const pathOf = new Map(artefacts.map(({ name, path }) => [name, path]));
  const files = feeds.flatMap((feed) => feed.files.map((file) => ({ file, name: nameOf(file), version: feed.version })));
  for (const { file, name } of files) {
    const path = pathOf.get(name);
    if (!path) throw new AppError('conflict', `${name} is in the feed but not in the folder.`);
    if ((await hashOf(createReadStream(path))) !== file.sha512)
      throw new AppError('conflict', `${name} is not the file that was signed.`);
  }
  const put = async (version: string, name: string): Promise<void> => {
    const body = createReadStream(pathOf.get(name) ?? '');
    await deps.blobs.put(artefactKey(version, name), body, { maxBytes: RELEASE_BOUNDS.artefactBytes });
  };
  for (const { file, name, version } of files) {
    if (!(await isStored(deps, version, file))) await put(version, name);
    if (pathOf.has(`${name}.blockmap`)) await put(version, `${name}.blockmap`);
  }
}

/** Publishes a folder into a ring, signed here with `pem` or elsewhere before. Gives the feeds that are in force now. */
export async function publishFolder(
  deps: ReleaseWriteDeps,
  release: FolderRelease,
  pem: string | undefined,
): Promise<ReleaseFeed[]> {
  const artefacts = await listArtefacts(release.folder);
  const candidates = pem ? await signFolder(release, pem, deps.clock.now()) : await readSignedFeeds(release.folder);
  if (candidates.length === 0)
    throw new AppError(
      'bad_request',
      `The folder ${release.folder} has no signed feed: give --key, or sign it with svc release sign.`,
    );
  const wrong = candidates.map(({ text }) => parseRing(text)).find((ring) => ring !== release.ring);
  if (wrong !== undefined)
    throw new AppError('bad_request', `The feeds in ${release.folder} were signed for ${wrong}, not for ${release.ring}.`);
  return await deps.alone(
    async () =>
      await acceptFeeds(deps, candidates, {
        action: release.rollback ? 'release.rollback' : 'release.publish',
        upload: async (feeds) => await uploadArtefacts(deps, artefacts, feeds),
      }),
  );
}

/** The ring that a feed names, before anything of it is believed. */
const parseRing = (text: string): string => /"ring":"([a-z]{1,16})"/.exec(text)?.[1] ?? 'no ring';
