import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let parent: string;
let env: Record<string, string>;
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'svc-release-'));
  env = { PATH: '/usr/local/bin:/usr/bin:/bin', SVC_DATA_DIR: join(parent, 'data') };
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

/** `svc release ...` as a process of its own. */
async function release(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const argv = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning', join(import.meta.dirname, '..', 'svc.ts')];
  const child = spawn(process.execPath, [...argv, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 90_000 });
  const ended = { code: null as number | null, out: '', err: '' };
  child.stdout.on('data', (data: Buffer) => {
    ended.out += data.toString();
  });
  child.stderr.on('data', (data: Buffer) => {
    ended.err += data.toString();
  });
  ended.code = await new Promise((resolve) => child.once('close', resolve));
  return ended;
}

test('a release is signed, published, promoted and listed from the command line, and stands in the trail of every tenant', async () => {
  const key = join(parent, 'release.key');
  const made = await release('release', 'keygen', '--out', key);
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(statSync(key).mode & 0o777).toBe(0o600);
  expect(await release('release', 'keygen', '--out', key)).toMatchObject({
    code: 1,
    err: expect.stringContaining('not overwritten'),
  });
  const dist = join(parent, 'dist');
  mkdirSync(dist);
  writeFileSync(join(dist, 'agent.AppImage'), 'an image');
  expect(await release('release', 'sign', '--ring', 'canary', '--dir', dist, '--key', key, '--version', '1.2.0')).toMatchObject({
    code: 0,
    out: 'signed latest-linux.yml\n',
  });
  expect(existsSync(env.SVC_DATA_DIR ?? '')).toBe(false);
  expect(readFileSync(join(dist, 'latest-linux.yml'), 'utf8')).toContain('"ring":"canary"');

  for (const tenant of ['acme', 'rival']) expect(await release('tenant', 'create', tenant)).toMatchObject({ code: 0 });
  const publish = ['release', 'publish', '--ring', 'canary', '--dir', dist];
  expect(await release(...publish)).toMatchObject({
    code: 2,
    err: expect.stringContaining('SVC_RELEASE_PUBLIC_KEY must be set'),
  });
  env.SVC_RELEASE_PUBLIC_KEY = /Public key {2}(\S+)/.exec(made.out)?.[1] ?? '';
  expect(await release(...publish)).toMatchObject({ code: 0, out: 'canary  latest-linux.yml  1.2.0  1 file\n', err: '' });
  const promote = ['release', 'promote', '1.2.0', '--key', key, '--to'];
  expect(await release(...promote, 'main')).toMatchObject({
    code: 1,
    err: expect.stringContaining('from early, which has nothing yet'),
  });
  expect(await release(...promote, 'early')).toMatchObject({ code: 0, out: 'early  latest-linux.yml  1.2.0  1 file\n' });
  expect(await release(...promote, 'everybody')).toMatchObject({ code: 2, err: expect.stringContaining('is not a ring') });
  const listed = await release('release', 'list');
  expect(listed.out).toMatch(/^canary {2}latest-linux.yml {2}1.2.0 .*1 file, 8 bytes\nearly {2}latest-linux.yml {2}1.2.0 /);
  // Two more than the tenant's own making, in each trail.
  expect((await release('verify-audit')).out).toMatch(/acme: whole, 3 entries[\s\S]*rival: whole, 3 entries/);
}, 120_000);
