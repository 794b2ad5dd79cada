import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildModule, buildScript, describeTypes, version } from './compile.js';
import { hashOf, readReleases } from './releases.js';
import { findWeight, MOST_BYTES } from './weigh.js';

describe('the built script', () => {
  it('weighs less than 2 KiB, and the console is told how much', async () => {
    const weight = findWeight(await buildScript());
    expect(MOST_BYTES).toBe(2047);
    expect(weight.bytes).toBeLessThanOrEqual(MOST_BYTES);
    expect(weight.gzip).toBeLessThan(weight.bytes);
    expect(weight.brotli).toBeLessThan(weight.bytes);
  });

  it('is one line of plain ASCII, so that its bytes are the same wherever it is checked out', async () => {
    expect(await buildScript()).toMatch(/^[\x20-\x7e]+$/);
  });

  it('reaches no door that consent must not have: no storage, cookie, sendBeacon, timer or evaluation of text', async () => {
    expect(await buildScript()).not.toMatch(
      /localStorage|sessionStorage|indexedDB|cookie|sendBeacon|setTimeout|setInterval|eval|Function|innerHTML|\.referrer|\.search\b|\.hash\b|\.href\b|\.title\b/,
    );
  });

  it('is what was released last: a change of the source is a new version', async () => {
    const newest = readReleases().at(-1);
    expect(newest?.version).toBe(version);
    expect(newest?.text).toBe(await buildScript());
  });

  it('is a module for bundlers as well, with the types of its one function', async () => {
    expect(await buildModule()).toMatch(/export\{\w+ as createRum\};?$/);
    expect(describeTypes()).toContain('export declare const createRum: (options: RumOptions) => Rum;');
  });
});

describe('the weight', () => {
  it('is told in bytes, not in characters', () => {
    expect(findWeight('é').bytes).toBe(2);
  });
});

describe('the releases', () => {
  let folder = '';
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are listed by version as numbers, the oldest first, with hash and integrity of their text', () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-releases-'));
    for (const one of ['1.0.0', '1.10.0', '1.9.0', '0.9.12']) writeFileSync(join(folder, `${one}.js`), `/* ${one} */`);
    writeFileSync(join(folder, 'README.md'), 'no release');
    const releases = readReleases(folder);
    expect(releases.map((one) => one.version)).toEqual(['0.9.12', '1.0.0', '1.9.0', '1.10.0']);
    expect(releases[0]?.hash).toBe(hashOf('/* 0.9.12 */'));
    expect(releases[0]?.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(releases[0]?.integrity).toMatch(/^sha384-[A-Za-z0-9+/]{64}$/);
  });
});
