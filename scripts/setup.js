// Sets a fresh clone up: packages, generated code, builds. Does nothing, quickly, when nothing changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childEnv, hasColour, root } from './env.js';
import { findNode, requireBootstrapNode } from './node-24.js';

const stampFolder = join(root, 'node_modules', '.cache', 'svc-setup');
const dim = (text) => (hasColour ? `\x1b[2m${text}\x1b[0m` : text);

function readStamp(name) {
  const file = join(stampFolder, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function writeStamp(name, value) {
  mkdirSync(stampFolder, { recursive: true });
  writeFileSync(join(stampFolder, name), value);
}

/** One step with its name and time; its output is shown only when it fails. Exits 1 with what failed. */
function step(title, command, args) {
  const began = Date.now();
  process.stderr.write(`  ${title} ... `);
  const run = spawnSync(command, args, {
    cwd: root,
    env: childEnv(),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  if (run.status !== 0) {
    process.stderr.write('failed\n');
    process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}\n`);
    process.stderr.write(
      `Setting up failed at "${title}" (${command} ${args.join(' ')}). Mend what it says above and run the command again.\n`,
    );
    process.exit(1);
  }
  process.stderr.write(`${dim(`${((Date.now() - began) / 1000).toFixed(1)} s`)}\n`);
}

const SOURCES = [
  'contracts',
  'bytes',
  'otlp-wire',
  'rum-sdk',
  'native',
  'probes',
  'desktop-agent',
  'server',
  'web-console',
  'simulator',
  'prisma',
  'package-lock.json',
  'turbo.json',
  'tsconfig.base.json',
];
const IGNORED = new Set(['node_modules', 'dist', 'dist-demo', 'types', 'generated', '.turbo', 'fixtures', 'test-results']);

/** What a build depends on, told by path, size and time: a few milliseconds, where hashing the content would take a second. */
function describeSources() {
  const hash = createHash('sha256');
  const visit = (path, relative) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return;
    if (!stat.isDirectory()) {
      hash.update(`${relative} ${stat.size} ${stat.mtimeMs}\n`);
      return;
    }
    for (const name of readdirSync(path).sort()) if (!IGNORED.has(name)) visit(join(path, name), `${relative}/${name}`);
  };
  for (const one of SOURCES) visit(join(root, one), one);
  return hash.digest('hex');
}

const lockFile = join(root, '.cache', 'setup.lock');
const LOCK_LIMIT_MS = 20 * 60_000;

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** One set-up of a checkout at a time: two `npm ci` side by side leave half of node_modules. Resolves with the function that lets go. */
function takeLock() {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const limit = Date.now() + LOCK_LIMIT_MS;
  let told = false;
  while (true) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return () => rmSync(lockFile, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(existsSync(lockFile) ? readFileSync(lockFile, 'utf8') : 0);
    // An empty file is one that is being written this very moment.
    if (holder > 0 && !isAlive(holder)) rmSync(lockFile, { force: true });
    if (Date.now() > limit) throw new Error(`Another set-up (process ${holder}) holds ${lockFile} for too long.`);
    if (!told && holder > 0) process.stderr.write(`  Waiting for another set-up of this checkout (process ${holder}) ...\n`);
    told = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

const OUTPUTS = {
  agent: ['desktop-agent/dist'],
  start: ['desktop-agent/dist', 'server/dist', 'web-console/dist'],
};

const hashLockFile = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');

const hasPackages = (lock) => existsSync(join(root, 'node_modules', '.bin')) && readStamp('packages') === lock;

function installPackages() {
  const lock = hashLockFile();
  if (hasPackages(lock)) return;
  if (existsSync(join(root, 'node_modules', '.package-lock.json')) && readStamp('packages') === '') {
    // Somebody ran npm ci or npm install by hand: believe it when it is newer than the lock file.
    const installed = statSync(join(root, 'node_modules', '.package-lock.json')).mtimeMs;
    if (installed >= statSync(join(root, 'package-lock.json')).mtimeMs) return writeStamp('packages', lock);
  }
  step('Installing packages, with Node 24 (about 800 MB once)', 'npm', ['ci', '--no-fund', '--no-audit']);
  writeStamp('packages', lock);
}

const outputsOf = (purpose) => OUTPUTS[purpose.for === 'agent' ? 'agent' : 'start'];

/** What the last build of this purpose was made of, where its outputs are still there. */
const isBuilt = (purpose, sources) =>
  outputsOf(purpose).every((folder) => existsSync(join(root, folder))) && readStamp(`build-${purpose.for}`) === sources;

/** Codes of a folder that this user may not write to or read. */
const REFUSED = new Set(['EACCES', 'EPERM', 'EROFS']);

function isSetUp(purpose) {
  try {
    return hasPackages(hashLockFile()) && isBuilt(purpose, describeSources());
  } catch (error) {
    if (REFUSED.has(error.code)) return false;
    throw error;
  }
}

function describeRefusal({ code, path }) {
  const [owner, user] = [statSync(root).uid, process.getuid?.()];
  const isForeign = user !== undefined && owner !== user;
  const why =
    code === 'EROFS'
      ? 'its file system is read-only'
      : isForeign
        ? `it belongs to another user (uid ${owner}, you are uid ${user})`
        : 'permission denied';
  return [
    `This checkout is not set up, and setting it up failed: cannot write ${path ?? root}; ${why}.`,
    isForeign
      ? `Run "npm run setup" in ${root} as its owner, then run this command again, or use a clone of your own.`
      : `Make ${root} writable and run this command again, or use another clone.`,
  ].join('\n');
}

/**
 * A checkout that is set up also runs where nothing in it may be written. One that is not ends the process with 1 and what to do.
 * @param {{ for: 'start' | 'agent' | 'test' }} purpose `agent` builds the endpoint agent only; `test` installs packages and
 * generates code but builds nothing that the tests do not build themselves.
 * @returns {string} path of the Node 24 to run everything with
 */
export function ensureSetup(purpose) {
  requireBootstrapNode();
  try {
    return setUpAlone(purpose);
  } catch (error) {
    if (!REFUSED.has(error.code)) throw error;
    if (isSetUp(purpose)) return findNode();
    process.stderr.write(`${describeRefusal(error)}\n`);
    process.exit(1);
  }
}

function setUpAlone(purpose) {
  const release = takeLock();
  process.once('exit', release);
  try {
    return setUp(purpose);
  } finally {
    release();
    process.off('exit', release);
  }
}

function setUp(purpose) {
  installPackages();
  const node = findNode();
  const sources = describeSources();
  if (isBuilt(purpose, sources)) return node;
  const filter = purpose.for === 'agent' ? ['--filter=@svc/desktop-agent'] : [];
  step('Generating code and building', 'turbo', ['run', 'build', '--ui=stream', ...filter]);
  writeStamp(`build-${purpose.for}`, sources);
  if (purpose.for !== 'agent') writeStamp('build-agent', sources);
  return node;
}

if (import.meta.filename === process.argv[1]) {
  if (process.argv.includes('--clean')) rmSync(stampFolder, { recursive: true, force: true });
  ensureSetup({ for: 'start' });
}
