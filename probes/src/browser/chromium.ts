import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext } from 'playwright-core';
import { NotCapable, RunFailure } from '../synthetic/run-failure.ts';
import { noteLack } from './lack-of-browser.ts';
import { killAll, memoryOf, processesOf } from './process-group.ts';
import { createProfileFolder, type ProfileFolder, sizeOf, sweepProfileFolders } from './profile-folder.ts';

const MEBIBYTE = 1024 * 1024;
/** Of one run: each process, all together, each file, the whole profile. */
const PROCESS_BYTES = 1536 * MEBIBYTE;
const MEMORY_BYTES = 1024 * MEBIBYTE;
const FILE_BYTES = 64 * MEBIBYTE;
const PROFILE_BYTES = 256 * MEBIBYTE;
const HEAP_MIB = 384;
const WATCH_MS = 250;
const END_MS = 3000;

export interface ChromiumWish {
  /** Path of the program. */
  readonly program: string;
  readonly proxyPort: number;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly acceptInvalid: boolean;
  readonly signal: AbortSignal;
  /** Told once when it takes more than it may, before it is ended. */
  readonly giveUp: (failure: RunFailure) => void;
}

export interface Chromium {
  readonly context: BrowserContext;
  readonly pid: number;
  readonly folder: string;
  /** Ends every process and removes the profile; may be called twice. */
  readonly close: () => Promise<void>;
}

/** Nobody chose the services that a browser talks to by itself: they are nowhere. */
const NOWHERE = 'http://127.0.0.1:9';
const OWN_SERVICES = [
  '--allow-browser-signin=false',
  '--disable-component-update',
  `--component-updater=url-source=${NOWHERE}`,
  `--gaia-url=${NOWHERE}`,
  `--google-apis-url=${NOWHERE}`,
  `--google-base-url=${NOWHERE}`,
  `--apps-gallery-update-url=${NOWHERE}`,
  `--variations-server-url=${NOWHERE}`,
  `--variations-insecure-server-url=${NOWHERE}`,
];

const flags = ({ proxyPort }: ChromiumWish): string[] => [
  `--proxy-server=http://127.0.0.1:${proxyPort}`,
  // Chromium would go to loopback by itself.
  '--proxy-bypass-list=<-loopback>',
  // Whatever does not heed the proxy finds no name.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--dns-prefetch-disable',
  '--disable-domain-reliability',
  '--disable-crash-reporter',
  '--disk-cache-size=33554432',
  '--media-cache-size=33554432',
  '--no-pings',
  ...OWN_SERVICES,
  `--js-flags=--max-old-space-size=${HEAP_MIB}`,
];

/** A test is no visitor: pages that heed Global Privacy Control keep it out of their statistics. Said as the standard says it, by both. */
const PRIVACY_HEADER = { 'Sec-GPC': '1' };
const PRIVACY_SCRIPT = `Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true, configurable: true, enumerable: true })`;

/** Words of a Chromium that cannot make its sandbox. */
const NO_SANDBOX =
  /No usable sandbox|Running as root without --no-sandbox|Failed to move to new namespace|unshare failed|unshare: /i;

function launchFailure(error: unknown): RunFailure {
  const words = error instanceof Error ? error.message : '';
  if (NO_SANDBOX.test(words))
    return new NotCapable(
      'no_sandbox',
      "This runner's machine gives Chromium no sandbox (user namespaces are closed), and without one it is not started.",
    );
  if (/ENOENT|Executable doesn't exist/.test(words)) return new NotCapable('no_chromium', 'This runner has no Chromium.');
  return new RunFailure('crashed', 'Chromium did not start.', { cause: error });
}

function readPid(folder: ProfileFolder): number | undefined {
  if (!existsSync(folder.pidFile)) return undefined;
  const pid = Number(readFileSync(folder.pidFile, 'utf8'));
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

async function end(folder: ProfileFolder, context: BrowserContext | undefined): Promise<void> {
  const pid = readPid(folder);
  if (pid !== undefined) {
    for (let waitedMs = 0; waitedMs < END_MS && processesOf(pid, folder.path).length > 0; waitedMs += 25) {
      killAll(pid, folder.path);
      await sleep(25);
    }
  }
  await Promise.race([context?.close().catch(() => undefined), sleep(END_MS, undefined, { ref: false })]);
  folder.remove();
}

/** Ends what takes more than it may. */
function watch({ pid, folder }: { pid: number; folder: string }, giveUp: ChromiumWish['giveUp']): () => void {
  let turn = 0;
  const timer = setInterval(() => {
    const memory = memoryOf(processesOf(pid, folder));
    if (memory > MEMORY_BYTES)
      giveUp(new RunFailure('crashed', `The page takes more than ${MEMORY_BYTES / MEBIBYTE} MiB of memory.`));
    turn += 1;
    if (turn % 4 !== 0) return;
    void sizeOf(folder).then((bytes) => {
      if (bytes > PROFILE_BYTES) giveUp(new RunFailure('crashed', `The page stores more than ${PROFILE_BYTES / MEBIBYTE} MiB.`));
    });
  }, WATCH_MS);
  return () => clearInterval(timer);
}

let swept = false;

/** Starts Chromium in its sandbox with a profile of its own. Throws a RunFailure; leaves nothing behind then. */
export async function startChromium(wish: ChromiumWish): Promise<Chromium> {
  if (!existsSync(wish.program)) throw new NotCapable('no_chromium', 'This runner has no Chromium.');
  if (!swept) sweepProfileFolders();
  swept = true;
  // Half a hundred megabytes that only tests of this type need.
  const { chromium } = await import('playwright-core');
  const folder = createProfileFolder(wish.program, { memoryBytes: PROCESS_BYTES, fileBytes: FILE_BYTES });
  const onAbort = (): void => {
    const pid = readPid(folder);
    if (pid !== undefined) killAll(pid, folder.path);
  };
  wish.signal.addEventListener('abort', onAbort, { once: true });
  let context: BrowserContext | undefined;
  let stop: () => void = () => undefined;
  const close = async (): Promise<void> => {
    stop();
    wish.signal.removeEventListener('abort', onAbort);
    await end(folder, context);
  };
  try {
    context = await chromium.launchPersistentContext(`${folder.path}/profile`, {
      executablePath: folder.program,
      chromiumSandbox: true,
      headless: true,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      artifactsDir: `${folder.path}/artifacts`,
      env: { HOME: folder.path, TMPDIR: folder.path, PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
      args: flags(wish),
      // Windows that nobody clicked for stay closed.
      ignoreDefaultArgs: ['--disable-popup-blocking'],
      acceptDownloads: false,
      ignoreHTTPSErrors: wish.acceptInvalid,
      viewport: { ...wish.viewport },
      extraHTTPHeaders: PRIVACY_HEADER,
    });
    await context.addInitScript(PRIVACY_SCRIPT);
    wish.signal.throwIfAborted();
    const pid = readPid(folder);
    if (pid === undefined) throw new Error('no process id');
    stop = watch({ pid, folder: folder.path }, wish.giveUp);
    return { context, pid, folder: folder.path, close };
  } catch (error) {
    await close();
    wish.signal.throwIfAborted();
    const failure = launchFailure(error);
    if (failure instanceof NotCapable) noteLack(wish.program, failure.lack);
    throw failure;
  }
}
