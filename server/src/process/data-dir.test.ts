import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLockHolder, openDataDir, resolveEnvelopeKey } from './data-dir.ts';

let parent: string;
let path: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-data-dir-'));
  path = join(parent, 'a', 'data');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const modeOf = (file: string): number => statSync(file).mode & 0o777;
const begin = (): { child: ReturnType<typeof spawn>; line: Promise<string> } => {
  const script = `import { openDataDir } from ${JSON.stringify(join(import.meta.dirname, 'data-dir.ts'))};
    try { openDataDir(${JSON.stringify(path)}); console.log('taken'); setInterval(() => {}, 1000); } catch (error) { console.log(error.message); }`;
  const child = spawn(process.execPath, ['--conditions=svc-source', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, line: new Promise((resolve) => child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim()))) };
};

test('a new directory is private and carries its format', () => {
  const dataDir = openDataDir(path);
  expect([path, dataDir.join('run'), dataDir.join('keys'), dataDir.join('tls')].map(modeOf)).toEqual([
    0o700, 0o700, 0o700, 0o700,
  ]);
  expect(readFileSync(dataDir.join('FORMAT'), 'utf8')).toBe('1\n');
  expect(findLockHolder(path)).toBe(process.pid);
  dataDir.release();
  expect(findLockHolder(path)).toBeUndefined();
  openDataDir(path).release();
});

test('a directory of a newer release, or one with a damaged format, is named and not touched', () => {
  openDataDir(path).release();
  writeFileSync(join(path, 'FORMAT'), '2\n');
  expect(() => openDataDir(path)).toThrow(/format 2, newer than this release knows \(1\)/);
  writeFileSync(join(path, 'FORMAT'), 'x');
  expect(() => openDataDir(path)).toThrow(/unreadable FORMAT/);
  expect(existsSync(join(path, 'lock'))).toBe(false);
});

test('a place that cannot be a directory is named', () => {
  writeFileSync(join(parent, 'file'), '');
  expect(() => openDataDir(join(parent, 'file', 'data'))).toThrow(
    /file\/data cannot be created or written \(ENOTDIR\).*SVC_DATA_DIR/,
  );
  expect(() => openDataDir(join(parent, 'file'))).toThrow(/cannot be made|not a directory/);
  // Even root cannot write into /proc, which stands for a read-only place.
  expect(() => openDataDir('/proc/svc-data')).toThrow(/\/proc\/svc-data cannot be created or written/);
});

test('of two starts at once one gets the directory and the other is told who has it', async () => {
  const starts = [begin(), begin(), begin()];
  const lines = await Promise.all(starts.map(({ line }) => line));
  expect(lines.filter((line) => line === 'taken')).toHaveLength(1);
  expect(lines.filter((line) => /in use by process \d+|being taken/.test(line))).toHaveLength(2);
  for (const { child } of starts) child.kill('SIGKILL');
});

test('the lock of a killed process is taken over', async () => {
  const { child, line } = begin();
  expect(await line).toBe('taken');
  expect(() => openDataDir(path)).toThrow(`in use by process ${child.pid}`);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  openDataDir(path).release();
});

test('a lock whose number now belongs to another process is stale; one of another host is stale by age', () => {
  openDataDir(path).release();
  const lock = join(path, 'lock');
  writeFileSync(lock, JSON.stringify({ pid: process.pid, began: 'another life', host: hostname() }));
  openDataDir(path).release();
  writeFileSync(lock, JSON.stringify({ pid: 1, began: '', host: 'another-host' }));
  expect(() => openDataDir(path)).toThrow(/in use by process 1 on another-host/);
  const old = new Date(Date.now() - 120_000);
  utimesSync(lock, old, old);
  openDataDir(path).release();
});

test('the envelope key is made once with mode 0600, a given one wins, a damaged one stops the start', () => {
  const dataDir = openDataDir(path);
  const key = resolveEnvelopeKey(dataDir, undefined);
  expect(modeOf(dataDir.join('keys', 'envelope.key'))).toBe(0o600);
  expect(resolveEnvelopeKey(dataDir, undefined).equals(key)).toBe(true);
  const given = Buffer.alloc(32, 5);
  expect(resolveEnvelopeKey(dataDir, given)).toBe(given);
  writeFileSync(dataDir.join('keys', 'envelope.key'), 'AAAA');
  expect(() => resolveEnvelopeKey(dataDir, undefined)).toThrow(/damaged/);
  dataDir.release();
});
