import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import type { Incapability } from '@svc/contracts/tests/runner';
import { needsNamespace, USER_NAMESPACE } from './profile-folder.ts';

/** Where Debian keeps the helper that makes the sandbox where user namespaces are closed. */
const HELPERS = ['/usr/lib/chromium/chrome-sandbox', '/opt/google/chrome/chrome-sandbox'];
const LIMIT_MS = 5000;
/** What starting it has shown is believed for so long. */
const AGAIN_MS = 600_000;
const shown = new Map<string, { readonly atMs: number; readonly lack: Incapability }>();

/** Called where Chromium did not start for this reason. */
export function noteLack(program: string, lack: Incapability): void {
  shown.set(program, { atMs: performance.now(), lack });
}

const succeeds = (file: string, args: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    execFile(file, [...args], { timeout: LIMIT_MS }, (error) => resolve(error === null));
  });

const isSetuid = (path: string): boolean => existsSync(path) && (statSync(path).mode & 0o4000) !== 0;

/** As Chromium makes it: a user namespace, as root one within the one that it is started in. */
async function hasSandbox(): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const inner = ['unshare', '--user', 'true'];
  if (needsNamespace()) return await succeeds('unshare', [...USER_NAMESPACE, ...inner]);
  return HELPERS.some(isSetuid) || (await succeeds('unshare', inner.slice(1)));
}

/**
 * Whether browser tests can run here: what starting Chromium has shown, else whether it is there and its sandbox can be made, which costs
 * milliseconds; undefined: they can.
 */
export async function lackOfBrowser(program: string): Promise<Incapability | undefined> {
  if (!existsSync(program)) return 'no_chromium';
  const known = shown.get(program);
  if (known && performance.now() - known.atMs < AGAIN_MS) return known.lack;
  return (await hasSandbox()) ? undefined : 'no_sandbox';
}
