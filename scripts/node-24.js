import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './env.js';

const WANTED_MAJOR = 24;
const OLDEST = [20, 19];

/** Ends with a sentence where the Node that runs the scripts is too old even for those. */
export function requireBootstrapNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  console.error(
    `This needs Node ${OLDEST.join('.')} or newer to begin with (it then brings its own Node 24); this is ${process.versions.node}.`,
  );
  console.error('Install a current Node from https://nodejs.org or by your package manager, and run the command again.');
  process.exit(2);
}

/** Path of a Node of major version 24 or newer: this one, else the one that npm installed here. */
export function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= WANTED_MAJOR) return process.execPath;
  const local = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  if (existsSync(local)) {
    const version = spawnSync(local, ['--version'], { encoding: 'utf8' }).stdout?.trim() ?? '';
    if (Number(/^v(\d+)/.exec(version)?.[1]) >= WANTED_MAJOR) return local;
  }
  console.error(
    `Node ${WANTED_MAJOR} is missing: npm should have installed it from its platform package (node-${process.platform}-${process.arch}).`,
  );
  console.error(`Run "npm ci" again, or install Node ${WANTED_MAJOR} yourself; no package of it may exist for this platform.`);
  process.exit(1);
}
