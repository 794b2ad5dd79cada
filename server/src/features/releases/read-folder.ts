import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  RELEASE_BOUNDS,
  RELEASE_FEEDS,
  type ReleaseFeedName,
  type ReleaseFile,
  ReleaseFileName,
  ReleaseVersion,
  releaseFilePath,
} from '@svc/contracts/releases/release-feed';
import { AppError } from '#kernel';
import { type Candidate, hashOf } from './accept.ts';

/** Which feed names a kind of file; electron-updater looks for the ones that it installs, the others are for people and MDM. */
const FEED_OF: Readonly<Record<string, 'win' | 'mac' | 'linux'>> = {
  exe: 'win',
  msi: 'win',
  zip: 'mac',
  dmg: 'mac',
  pkg: 'mac',
  AppImage: 'linux',
  deb: 'linux',
  rpm: 'linux',
};
/** Served beside, so that an update fetches only what changed; the file that comes out is checked against the feed. */
const BLOCKMAP = '.blockmap';

const extensionOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

function feedOf(name: string): ReleaseFeedName | undefined {
  const kind = FEED_OF[extensionOf(name)];
  if (kind === 'win') return 'latest.yml';
  if (kind === 'mac') return 'latest-mac.yml';
  if (kind === undefined) return undefined;
  return /arm64|aarch64/.test(name) ? 'latest-linux-arm64.yml' : 'latest-linux.yml';
}

export interface Artefact {
  name: string;
  path: string;
}

/** The files of a folder that a release is made of: packages and their block maps, nothing else and no link. */
export async function listArtefacts(folder: string): Promise<Artefact[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new AppError('bad_request', `The folder ${folder} cannot be read.`, { cause });
  });
  const wanted = entries.filter((entry) => entry.isFile() && feedOf(entry.name.replace(BLOCKMAP, '')) !== undefined);
  const wrong = wanted.find((entry) => !ReleaseFileName.safeParse(entry.name).success);
  if (wrong)
    throw new AppError('bad_request', `"${wrong.name}" has characters that are not allowed in the name of a release file.`);
  return wanted.map(({ name }) => ({ name, path: join(folder, name) })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function describeFile({ name, path }: Artefact, version: string): Promise<ReleaseFile> {
  const { size } = await stat(path);
  if (size > RELEASE_BOUNDS.artefactBytes)
    throw new AppError('too_large', `${name} is larger than ${RELEASE_BOUNDS.artefactBytes} bytes.`);
  return { url: releaseFilePath(version, name), sha512: await hashOf(createReadStream(path)), size };
}

/** The files of each feed, hashed; a platform without files has no feed. */
export async function describeFeeds(
  artefacts: readonly Artefact[],
  version: string,
): Promise<Map<ReleaseFeedName, ReleaseFile[]>> {
  const feeds = new Map<ReleaseFeedName, ReleaseFile[]>();
  for (const artefact of artefacts) {
    const feed = artefact.name.endsWith(BLOCKMAP) ? undefined : feedOf(artefact.name);
    if (feed) feeds.set(feed, [...(feeds.get(feed) ?? []), await describeFile(artefact, version)]);
  }
  return feeds;
}

/** The version that electron-builder's own feeds in the folder name; `bad_request` where there is none or more than one. */
export async function readFolderVersion(folder: string): Promise<string> {
  const found = new Set<string>();
  for (const name of RELEASE_FEEDS) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => '');
    const version = /^version: ['"]?([^'"\s]+)['"]?\s*$/m.exec(text)?.[1] ?? /"version":"([^"]+)"/.exec(text)?.[1];
    if (version) found.add(version);
  }
  const [version] = found;
  if (version && found.size === 1 && ReleaseVersion.safeParse(version).success) return version;
  const why = found.size > 1 ? `names several versions (${[...found].join(', ')})` : 'names no version';
  throw new AppError('bad_request', `The folder ${folder} ${why}: give it with --version.`);
}

/** Feeds that were signed elsewhere: `<feed>` and `<feed>.sig` in the folder. */
export async function readSignedFeeds(folder: string): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const name of RELEASE_FEEDS) {
    const signature = await readFile(join(folder, `${name}.sig`), 'utf8').catch(() => undefined);
    if (signature === undefined) continue;
    const text = await readFile(join(folder, name), 'utf8').catch(() => undefined);
    if (text === undefined) throw new AppError('bad_request', `${name}.sig has no ${name} next to it.`);
    found.push({ text, signature });
  }
  return found;
}
