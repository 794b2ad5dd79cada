import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { childEnv, root } from '../env.js';

const cache = join(root, 'node_modules', '.cache', 'svc-package');

interface Locked {
  version: string;
  integrity?: string;
}

function lockedPackage(name: string): Locked {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> };
  const found = lock.packages[`node_modules/${name}`];
  if (!found) throw new Error(`package-lock.json does not hold ${name}.`);
  return found;
}

/**
 * Folder of a package in the version that the lock file names: the installed one, else, for another system than this, fetched by npm
 * once and held against the lock's hash.
 */
export function fetchPackage(name: string): string {
  const installed = join(root, 'node_modules', name);
  if (existsSync(join(installed, 'package.json'))) return installed;
  const { version, integrity } = lockedPackage(name);
  if (integrity === undefined) throw new Error(`package-lock.json holds no hash of ${name}: it cannot be checked.`);
  const folder = join(cache, `${name.replace('/', '-')}-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'work-'));
  try {
    const options = { cwd: work, env: childEnv(), encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] } as const;
    const file = execFileSync('npm', ['pack', '--silent', `${name}@${version}`], {
      ...options,
      stdio: [...options.stdio],
    }).trim();
    const hash = `sha512-${createHash('sha512')
      .update(readFileSync(join(work, file)))
      .digest('base64')}`;
    if (hash !== integrity) throw new Error(`${name}@${version} is not the file that package-lock.json names.`);
    execFileSync('tar', ['-xzf', file], { cwd: work });
    renameSync(join(work, 'package'), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

const NOT_NEEDED = [
  /[/\\](doc|vendor|musl_\w+|abi)$/,
  /[/\\]koffi[/\\]lib$/,
  /\.(cc|hh|inc|S|asm|def|d\.ts|map)$/,
  /(CMakeLists\.txt|CHANGELOG\.md|README\.md|cnoke\.cjs)$/,
];

/** Copies what a program needs of a package at run time, and its licence: no sources of native code, no documents. */
export function copyRuntime(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !NOT_NEEDED.some((pattern) => pattern.test(path)) });
}
