import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { findMissingSigning, readPinnedKeys } from './signing.ts';

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ format: 'der', type: 'spki' })
  .toString('base64');
const release = { SVC_RELEASE_BUILD: '1', SVC_RELEASE_PUBLIC_KEY: key };
const missing = (platform: 'linux' | 'darwin' | 'win32', env: Record<string, string>, headless = false): string =>
  findMissingSigning({ platform, headless }, env).join('\n');

describe('a release build', () => {
  it('is refused without an identity, and says what to set', () => {
    const mac = missing('darwin', release);
    for (const word of [
      'Developer ID Application',
      'CSC_LINK and CSC_KEY_PASSWORD',
      'Installer',
      'notarisation',
      'APPLE_API_KEY_ID',
    ])
      expect(mac).toContain(word);
    expect(missing('win32', release)).toContain('WIN_CSC_LINK and WIN_CSC_KEY_PASSWORD');
    expect(missing('linux', { SVC_RELEASE_BUILD: '1' })).toContain('SVC_RELEASE_PUBLIC_KEY');
    expect(missing('linux', release, true)).toContain('SVC_LINUX_SIGNING_KEY_FILE');
  });

  it('is refused with half an identity or an empty one', () => {
    expect(missing('win32', { ...release, WIN_CSC_LINK: 'cert.pfx' })).toContain('Authenticode');
    expect(missing('win32', { ...release, WIN_CSC_LINK: 'cert.pfx', WIN_CSC_KEY_PASSWORD: ' ' })).toContain('Authenticode');
    expect(missing('win32', { ...release, WIN_CSC_LINK: 'cert.pfx', CSC_KEY_PASSWORD: 'a' })).toContain('Authenticode');
  });

  it('goes on with a whole one', () => {
    expect(missing('win32', { ...release, WIN_CSC_LINK: 'cert.pfx', WIN_CSC_KEY_PASSWORD: 'a' })).toBe('');
    const notary = { APPLE_ID: 'a', APPLE_APP_SPECIFIC_PASSWORD: 'b', APPLE_TEAM_ID: 'c' };
    expect(missing('darwin', { ...release, CSC_NAME: 'Example Ltd', ...notary })).toBe('');
    expect(missing('linux', release)).toBe('');
    expect(missing('linux', { ...release, SVC_LINUX_SIGNING_KEY_FILE: 'key.asc' }, true)).toBe('');
  });

  it('is refused with a key that is none', () => {
    expect(missing('linux', { ...release, SVC_RELEASE_PUBLIC_KEY: 'AAAA' })).toContain('no P-256 public key');
  });
});

it('asks nothing of a build that is no release, which pins what it is given', () => {
  for (const platform of ['linux', 'darwin', 'win32'] as const) expect(missing(platform, { SVC_RELEASE_BUILD: '0' })).toBe('');
  expect(readPinnedKeys({})).toEqual([]);
  expect(readPinnedKeys({ SVC_RELEASE_PUBLIC_KEY: `${key}, ${key}` })).toEqual([key, key]);
});

it('asks for what each package without a window is signed with', () => {
  const release = { SVC_RELEASE_BUILD: '1' };
  expect(missing('linux', release, true)).toContain('SVC_LINUX_SIGNING_KEY_FILE');
  expect(missing('darwin', release, true)).toContain('Developer ID Installer');
  expect(missing('win32', release, true)).toContain('WIN_CSC_LINK and WIN_CSC_KEY_PASSWORD');
  expect(missing('win32', { ...release, WIN_CSC_LINK: 'cert.pfx', WIN_CSC_KEY_PASSWORD: 'a' }, true)).toBe('');
});
