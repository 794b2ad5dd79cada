import type { ReleaseFeed } from '@svc/contracts/release-feed';
import { describe, expect, it } from 'vitest';
import { checkStep, type Standing } from './check-step.ts';

const feed = (part: Partial<ReleaseFeed> = {}): ReleaseFeed => ({
  version: '1.2.0',
  feed: 'latest.yml',
  ring: 'canary',
  serial: 2000,
  rollback: false,
  minProtocol: 1,
  releaseDate: '2026-01-01T00:00:00.000Z',
  files: [{ url: 'files/1.2.0/a.exe', sha512: `${'A'.repeat(86)}==`, size: 1 }],
  ...part,
});
const check = (wanted: ReleaseFeed, standing: Partial<Standing> = {}) =>
  checkStep(wanted, { current: undefined, before: undefined, known: undefined, protocol: 1, ...standing });
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
