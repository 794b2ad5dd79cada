import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NetworkIdentity } from '@svc/native/identity/identity';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openKeptFile } from '../kept-file.ts';
import { openNetworkFingerprint } from './network-fingerprint.ts';

let folder: string;
let present: NetworkIdentity | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-fingerprint-'));
  present = { ssid: 'home', gateway: '192.168.1.1', domain: 'fritz.box', tunnel: false };
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const path = () => join(folder, 'network-salt.json');
const open = () =>
  openNetworkFingerprint({ file: openKeptFile(path()), readIdentity: async () => present, collectsSsid: () => true });

it('names a network alike over restarts, and forgets it where there is none', async () => {
  const first = await open();
  expect(first.current()).toBeUndefined();
  const name = await first.refresh();
  expect(name).toBeDefined();
  expect(first.current()).toBe(name);
  expect(await (await open()).refresh()).toBe(name);
  present = undefined;
  expect(await first.refresh()).toBeUndefined();
});

it('keeps nothing of the network on disk but its salt', async () => {
  await (await open()).refresh();
  expect(Object.keys(JSON.parse(await readFile(path(), 'utf8')))).toEqual(['salt']);
});

it('begins anew with a damaged salt', async () => {
  const name = await (await open()).refresh();
  await writeFile(path(), '{"salt":"c2hvcnQ"}');
  const again = await open();
  expect(await again.refresh()).not.toBe(name);
  expect(await (await open()).refresh()).toBe(again.current());
});

it('takes the later of two looks that overlap', async () => {
  const answers: ((identity: NetworkIdentity) => void)[] = [];
  const fingerprint = await openNetworkFingerprint({
    file: openKeptFile(path()),
    readIdentity: () => new Promise((resolve) => answers.push(resolve)),
    collectsSsid: () => true,
  });
  const [early, late] = [fingerprint.refresh(), fingerprint.refresh()];
  const home = { ssid: 'home', gateway: '192.168.1.1', domain: undefined, tunnel: false };
  answers[1]?.({ ...home, ssid: 'office' });
  await late;
  const office = fingerprint.current();
  answers[0]?.(home);
  await early;
  expect(fingerprint.current()).toBe(office);
});
