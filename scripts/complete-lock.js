// npm leaves optional platform packages that it cannot see out of package-lock.json (npm/cli#4828), and `npm ci` on another platform
// then refuses the file. This adds what is missing: name, version and platform are known from the package that asks for them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './env.js';

const file = join(root, 'package-lock.json');

const OS = {
  darwin: 'darwin',
  linux: 'linux',
  win: 'win32',
  win32: 'win32',
  windows: 'win32',
  android: 'android',
  freebsd: 'freebsd',
};
const CPU = { x64: 'x64', 64: 'x64', arm64: 'arm64' };

/** Platform words of a package's name, for example @biomejs/cli-linux-x64-musl. */
function readPlatform(name) {
  const words = name.split(/[/-]/);
  const os = words.map((word) => OS[word]).find(Boolean);
  const cpu = words.map((word) => CPU[word]).find(Boolean);
  const libc = words.includes('musl') ? 'musl' : undefined;
  return { ...(cpu ? { cpu: [cpu] } : {}), ...(libc ? { libc: [libc] } : {}), ...(os ? { os: [os] } : {}) };
}

/** Names of optional dependencies that the lock does not hold, with the entry that they should have. */
export function findMissing(lock) {
  const missing = {};
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const key = `node_modules/${name}`;
      if (lock.packages[key] || lock.packages[`${path}/${key}`] || !/^\d/.test(version)) continue;
      const dev = path === '' || entry.dev ? { dev: true } : {};
      missing[key] = { version, ...readPlatform(name), ...(path === '' ? {} : dev), optional: true };
    }
  }
  return missing;
}

if (import.meta.filename === process.argv[1]) {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const missing = findMissing(lock);
  const sorted = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => (a < b ? -1 : 1));
  lock.packages = Object.fromEntries(sorted);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${Object.keys(missing).length} platform packages added to package-lock.json.`);
}
