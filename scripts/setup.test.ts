import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const REPO = join(import.meta.dirname, '..');
const SHIM = join('desktop-agent', 'bin', 'svc-agent.js');
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** Root may write anywhere: another user runs the command then, where it may run this Node at all. */
const stranger = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const runsAsStranger =
  process.platform !== 'win32' && spawnSync(process.execPath, ['--version'], { ...stranger, cwd: '/' }).status === 0;

let checkout: string;

function write(path: string, text: string, mode = 0o644): void {
  const file = join(checkout, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
}

/** A checkout with the real scripts, and a build that makes an agent of one line. */
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'svc-setup-'));
  chmodSync(checkout, 0o755);
  for (const path of ['scripts/setup.js', 'scripts/env.js', 'scripts/node-24.js', SHIM]) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    copyFileSync(join(REPO, path), join(checkout, path));
  }
  write('package.json', '{"type":"module"}');
  write('package-lock.json', '{}');
  const built = join(checkout, 'desktop-agent', 'dist');
  const build = `#!/bin/sh\nmkdir -p '${built}' && echo 'console.log("measured")' > '${built}/svc-agent.mjs'\n`;
  write('node_modules/.bin/turbo', build, 0o755);
  write('node_modules/.package-lock.json', '{}');
});
afterEach(() => {
  chmodSync(checkout, 0o755);
  rmSync(checkout, { recursive: true, force: true });
});

function runOnce(who: object) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(checkout, SHIM), 'once'], {
    ...who,
    cwd: checkout,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe.runIf(runsAsStranger)('svc-agent in a checkout that its user may not write to', () => {
  test('says what is wrong and what to do where it is not set up', () => {
    if (!isRoot) chmodSync(checkout, 0o555);
    const { status, stdout, stderr } = runOnce(stranger);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(`cannot write ${join(checkout, '.cache')}`);
    expect(stderr).toContain(isRoot ? `Run "npm run setup" in ${checkout} as its owner` : `Make ${checkout} writable`);
    expect(stderr.trim().split('\n')).toHaveLength(2);
  });

  test('runs where its owner has set it up', () => {
    expect(runOnce({})).toMatchObject({ status: 0, stdout: 'measured\n' });
    if (!isRoot) chmodSync(join(checkout, '.cache'), 0o555);
    expect(runOnce(stranger)).toEqual({ status: 0, stdout: 'measured\n', stderr: '' });
  });
});
