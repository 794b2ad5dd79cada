import type { ReleaseFeed } from '@svc/contracts/releases/release-feed';
import { describe, expect, it } from 'vitest';
import { checkStep, type Standing } from './check-step.ts';

const DAY_MS = 86_400_000;
const feed = (part: Partial<ReleaseFeed> = {}): ReleaseFeed => ({
  version: '1.2.0',
  feed: 'latest.yml',
  ring: 'canary',
  serial: 2000,
  rollback: false,
  minProtocol: 1,
  releaseDate: '2026-01-01T00:00:00.000Z',
  expiresAt: new Date(DAY_MS).toISOString(),
  files: [{ url: 'files/1.2.0/a.exe', sha512: `${'A'.repeat(86)}==`, size: 1 }],
  ...part,
});
const check = (wanted: ReleaseFeed, standing: Partial<Standing> = {}) =>
  checkStep(wanted, { current: undefined, before: undefined, known: undefined, protocol: 1, nowMs: 3000, ...standing });
const older = feed({ version: '1.1.0', serial: 1000 });
const newer = feed({ version: '1.10.0', serial: 1000 });

describe('a version on its way through the rings', () => {
  it('begins in canary, over nothing, an older one or itself signed again', () => {
    expect(check(feed())).toBeUndefined();
    expect(check(feed(), { current: older })).toBeUndefined();
    expect(check(feed(), { current: feed({ serial: 1000 }), known: feed() })).toBeUndefined();
  });

  it('goes to early from canary and to main from early, never past one', () => {
    const inCanary = feed({ serial: 1000 });
    const early = feed({ ring: 'early' });
    expect(check(early, { before: inCanary })).toBeUndefined();
    expect(check(early)).toMatch('from canary, which has nothing yet');
    expect(check(early, { before: older })).toMatch('from canary, which has 1.1.0');
    expect(check(feed({ ring: 'main' }), { before: undefined })).toMatch('from early');
    expect(check(feed({ ring: 'main' }), { before: feed({ ring: 'early', serial: 1000 }) })).toBeUndefined();
  });

  it('never goes back unless it is signed as a rollback, and then only to what was here', () => {
    expect(check(feed(), { current: newer })).toMatch('must be signed as a rollback');
    const back = feed({ rollback: true });
    expect(check(back, { current: newer, known: feed() })).toBeUndefined();
    expect(check(feed({ ring: 'main', rollback: true }), { current: newer, known: feed() })).toBeUndefined();
    expect(check(back, { current: newer })).toMatch('never published');
    expect(check(back, { current: older, known: feed() })).toMatch('no rollback');
    expect(check(back, { known: feed() })).toMatch('no rollback');
  });

  it('is not replaced by a feed that was signed earlier', () => {
    expect(check(feed({ serial: 1000 }), { current: older })).toMatch('signed later');
    expect(check(feed({ serial: 999, rollback: true }), { current: newer, known: feed() })).toMatch('signed later');
  });

  it('keeps the files it was published with', () => {
    const other = feed({ files: [{ url: 'files/1.2.0/a.exe', sha512: `${'B'.repeat(86)}==`, size: 1 }] });
    expect(check(other, { known: feed() })).toMatch('other files');
  });

  it('waits for a control plane that it can speak with', () => {
    expect(check(feed({ minProtocol: 2 }))).toMatch('update it first');
    expect(check(feed({ minProtocol: 2 }), { protocol: 2 })).toBeUndefined();
  });
});

describe('the times of a feed', () => {
  it('are its expiry, which must be there, ahead, and within 400 days of the signing', () => {
    const { expiresAt: _, ...forEver } = feed();
    expect(check(forEver)).toMatch('without an expiry');
    expect(check(feed(), { nowMs: DAY_MS })).toMatch('signed to expire on 1970-01-02T00:00:00.000Z');
    expect(check(feed(), { nowMs: DAY_MS - 1 })).toBeUndefined();
    expect(check(feed({ expiresAt: new Date(402 * DAY_MS).toISOString() }))).toMatch('more than 400 days');
  });

  it('are its signing, which a clock far ahead would make unbeatable', () => {
    expect(check(feed({ serial: 2 * DAY_MS, expiresAt: new Date(9 * DAY_MS).toISOString() }))).toMatch('in the future');
  });

  it('are prolonged by signing again what is in force, in any ring and whatever the ring before it has', () => {
    const early = feed({ ring: 'early', version: '1.1.0' });
    const current = { ...early, serial: 1000 };
    expect(check(early, { current, before: newer, known: early })).toBeUndefined();
    const back = { ...current, rollback: true };
    expect(check({ ...early, rollback: true }, { current: back, before: newer, known: early })).toBeUndefined();
    expect(check(early, { current: back, before: newer, known: early })).toMatch('from canary');
    expect(check({ ...early, files: feed().files.map((file) => ({ ...file, size: 2 })) }, { current })).toMatch('from canary');
  });
});
