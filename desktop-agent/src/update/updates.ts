import { join } from 'node:path';
import { RELEASE_BOUNDS, type ReleaseFeedName } from '@svc/contracts/releases/release-feed';
import { readReleaseKey } from '@svc/contracts/releases/release-signature';
import type { Ring } from '@svc/contracts/releases/rings';
import { messageOf } from '../agent-error.ts';
import { openKeptFile } from '../kept-file.ts';
import { type CheckCadence, createCheckCadence } from './check-cadence.ts';
import { feedNameOf, fileOf, type System } from './feed-of-system.ts';
import type { InstalledBy } from './installed-by.ts';
import type { ReleasePins } from './release-pins.ts';
import { fetchSmall, type ReleaseServer } from './release-server.ts';
import { createSelfInstaller, type SelfInstaller, type SelfUpdater } from './self-installer.ts';
import type { Trial } from './trial.ts';
import { UpdateFault } from './update-fault.ts';
import { type VerifiedFeed, verifyFeed } from './verify-feed.ts';

/** Where a device finds its releases. */
export interface UpdateSource {
  server: ReleaseServer;
  ring: Ring;
}

export interface UpdatesDeps extends System {
  /** The version that runs. */
  version: string;
  pins: ReleasePins;
  /** `self`: downloads and, at a restart, installs. Every other only tells: its repository or its management installs. */
  installedBy: InstalledBy;
  /** A folder of this person's own, in which the serials of accepted feeds are kept. */
  folder: string;
  /** Asked before each check. Undefined: not enrolled. */
  source(): Promise<UpdateSource | undefined>;
  /** electron-updater's `autoUpdater`; asked for only where this program updates itself. */
  updater(): SelfUpdater;
  /** Puts this version back where a newer one does not work; without it nothing is put back. */
  trial?: Pick<Trial, 'prepare' | 'isRefused'>;
  /** A newer version waits: `restart` once it is downloaded and checked. Told once a version. */
  onUpdate(update: WaitingUpdate): void;
  /** One line for a person; never a secret. */
  log(message: string): void;
  /** This device's clock, Unix milliseconds; injected for tests. */
  now?: () => number;
}

export interface WaitingUpdate {
  version: string;
  how: 'restart' | 'tell';
}

/** `none`: nothing for this device; `unavailable`: not enrolled, no release for this system, or no key pinned. */
export type CheckOutcome = { kind: 'none' | 'unavailable' } | ({ kind: 'waiting' } & WaitingUpdate);

export interface Updates {
  /** Checks a little after the start, then every four hours; after a failure with back-off. */
  start(): void;
  /** Checks now; one check at a time. Throws UpdateFault. */
  check(): Promise<CheckOutcome>;
  waiting(): WaitingUpdate | undefined;
  /** Ends this program and starts the downloaded version. False where none is ready. */
  restart(): boolean;
  stop(): void;
}

interface Checking {
  deps: UpdatesDeps;
  feedName: ReleaseFeedName;
  keys: ReturnType<typeof readReleaseKey>[];
  installer: SelfInstaller | undefined;
  waiting: (WaitingUpdate & { sha512: string | undefined }) | undefined;
}

/** The newest serial of each ring's feed that this device accepted. */
function openSerials(folder: string) {
  const file = openKeptFile(join(folder, 'accepted-feeds.json'));
  const read = async (): Promise<Record<string, unknown>> => ((await file.read()) ?? {}) as Record<string, unknown>;
  return {
    async last(name: string): Promise<number> {
      const serial = (await read())[name];
      return typeof serial === 'number' && Number.isSafeInteger(serial) ? serial : 0;
    },
    accept: async (name: string, serial: number) => await file.write({ ...(await read()), [name]: serial }),
  };
}

async function readFeed(c: Checking, { server, ring }: UpdateSource): Promise<VerifiedFeed | undefined> {
  const { deps, feedName, keys } = c;
  const path = `/agent/releases/${ring}/${feedName}`;
  const bytes = await fetchSmall(server, path, RELEASE_BOUNDS.feedBytes);
  if (!bytes) return undefined;
  const signature = await fetchSmall(server, `${path}.sig`, RELEASE_BOUNDS.signatureBytes);
  if (!signature) throw new UpdateFault('unsigned', 'The feed has no signature.');
  const serials = openSerials(deps.folder);
  const name = `${ring}/${feedName}`;
  const lastSerial = await serials.last(name);
  const { version, pins } = deps;
  const verified = verifyFeed(bytes, signature, {
    keys,
    ring,
    feed: feedName,
    version,
    lastSerial,
    builtAtMs: pins.builtAtMs,
    nowMs: (deps.now ?? Date.now)(),
  });
  if (verified.feed.serial > lastSerial) await serials.accept(name, verified.feed.serial);
  return verified;
}

async function take(c: Checking, source: UpdateSource, verified: VerifiedFeed): Promise<WaitingUpdate> {
  const { version } = verified.feed;
  if (c.deps.installedBy !== 'self') return { version, how: 'tell' };
  const file = fileOf(verified.feed, c.deps);
  if (!file) throw new UpdateFault('no_file', `${version} has no file for this system.`);
  c.installer ??= createSelfInstaller(c.deps.updater());
  // First: what is downloaded is installed at the next quit.
  await c.deps.trial?.prepare({ version, sha512: file.sha512 }).catch((cause) => {
    throw new UpdateFault('not_installed', `This version could not be kept for a rollback: ${messageOf(cause)}`, { cause });
  });
  await c.installer.download(source, verified);
  return { version, how: 'restart' };
}

async function checkOnce(c: Checking): Promise<CheckOutcome> {
  const source = await c.deps.source();
  if (!source) return { kind: 'unavailable' };
  const verified = await readFeed(c, source);
  if (!verified || verified.step === 'none') return { kind: 'none' };
  const { version } = verified.feed;
  const sha512 = fileOf(verified.feed, c.deps)?.sha512;
  if (sha512 !== undefined && (await c.deps.trial?.isRefused({ version, sha512 }))) return { kind: 'none' };
  const known = c.waiting;
  // A file that was repaired under the same number is another one.
  if (known?.version === version && known.sha512 === sha512) return { kind: 'waiting', version, how: known.how };
  const update = await take(c, source, verified);
  c.waiting = { ...update, sha512 };
  if (known?.version !== version) c.deps.onUpdate(update);
  return { kind: 'waiting', ...update };
}

/** Updates of the program with a window. Where no key is pinned or no release is made for this system it never asks anybody. */
export function createUpdates(deps: UpdatesDeps): Updates {
  const feedName = feedNameOf(deps);
  const keys = deps.pins.keys.map(readReleaseKey);
  const c = feedName && keys.length > 0 ? { deps, feedName, keys, installer: undefined, waiting: undefined } : undefined;
  const checking: Checking | undefined = c;
  let running: Promise<CheckOutcome> | undefined;
  const check = (): Promise<CheckOutcome> => {
    if (!checking || deps.installedBy === 'checkout') return Promise.resolve({ kind: 'unavailable' });
    running ??= checkOnce(checking).finally(() => {
      running = undefined;
    });
    return running;
  };
  const cadence: CheckCadence = createCheckCadence({
    check,
    onError: (error) => deps.log(`The look for a newer version failed: ${messageOf(error)}`),
  });
  return {
    start: cadence.start,
    stop: cadence.stop,
    check,
    waiting: () => checking?.waiting,
    restart: () => checking?.waiting?.how === 'restart' && checking.installer?.install() === true,
  };
}
