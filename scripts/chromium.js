import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { childEnv, root } from './env.js';

const SYSTEM = ['/usr/bin/chromium', '/usr/bin/chromium-browser'];
const CACHES = [join(homedir(), '.cache', 'ms-playwright'), join(homedir(), 'Library', 'Caches', 'ms-playwright')];

const isThere = () =>
  SYSTEM.some((path) => existsSync(path)) ||
  CACHES.some((folder) => existsSync(folder) && readdirSync(folder).some((name) => name.startsWith('chromium')));

const run = (command, args) =>
  spawnSync(command, args, { cwd: root, env: childEnv({ DEBIAN_FRONTEND: 'noninteractive' }), stdio: 'ignore' }).status === 0;

/** A Chromium for the end-to-end tests: Debian's by apt where that is allowed, else Playwright's own. Undefined, or why there is none. */
export function findWhyNoChromium() {
  if (isThere()) return undefined;
  process.stderr.write('  Installing Chromium for the end-to-end tests ...\n');
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    run('apt-get', ['update', '-qq']);
    if (run('apt-get', ['install', '-y', '-qq', 'chromium']) && isThere()) return undefined;
  }
  if (run('playwright', ['install', 'chromium']) && isThere()) return undefined;
  return 'no Chromium: neither apt (as root) nor "npm exec playwright install chromium" could install one';
}
