import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { compareVersions, parseReleaseFeed, type ReleaseFeed, releaseFeedText, releaseFilePath } from './release-feed.ts';
import { isReleaseSigned, readReleaseKey, releaseKeyId, signRelease } from './release-signature.ts';

const newKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { pem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), publicKey };
};
const feed = (part: Partial<ReleaseFeed> = {}): ReleaseFeed => ({
  version: '1.2.0',
  feed: 'latest-linux.yml',
  ring: 'canary',
  serial: 1_700_000_000_000,
  rollback: false,
  minProtocol: 0,
  releaseDate: '2026-01-01T00:00:00.000Z',
  files: [{ url: releaseFilePath('1.2.0', 'agent.AppImage'), sha512: randomBytes(64).toString('base64'), size: 7 }],
  ...part,
});
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('a release feed', () => {
  it('is canonical JSON that comes back as it was, and that a YAML reader reads alike', () => {
    const one = feed();
    const text = releaseFeedText(one);
    expect(parseReleaseFeed(bytesOf(text))).toEqual(one);
    const yaml = createRequire(createRequire(import.meta.url).resolve('electron-updater'))('js-yaml');
    expect(yaml.load(text)).toEqual(one);
  });

  it('is refused when it is not in canonical form, cut, too large or of another shape', () => {
    const text = releaseFeedText(feed());
    expect(parseReleaseFeed(bytesOf(` ${text}`))).toBeNull();
    expect(parseReleaseFeed(bytesOf(`\uFEFF${text}`))).toBeNull();
    expect(parseReleaseFeed(bytesOf(text.slice(0, -1)))).toBeNull();
    expect(parseReleaseFeed(bytesOf(text.replace('"ring"', '"rang"')))).toBeNull();
    expect(parseReleaseFeed(bytesOf(text.replace('files/1.2.0', '../1.2.0')))).toBeNull();
    expect(parseReleaseFeed(bytesOf(text.replace('{', `{"a":"${'x'.repeat(70_000)}",`)))).toBeNull();
    expect(parseReleaseFeed(new Uint8Array([0xff, 0xfe]))).toBeNull();
  });
});

describe('its signature', () => {
  const { pem, publicKey } = newKey();
  const bytes = bytesOf(releaseFeedText(feed()));
  const signature = bytesOf(signRelease(bytes, pem));

  it('holds for these bytes and this key alone', () => {
    const other = newKey().publicKey;
    expect(isReleaseSigned(bytes, signature, [other, publicKey])).toBe(true);
    expect(isReleaseSigned(bytes, signature, [other])).toBe(false);
    expect(isReleaseSigned(bytes, signature, [])).toBe(false);
    expect(isReleaseSigned(bytesOf(`${new TextDecoder().decode(bytes)} `), signature, [publicKey])).toBe(false);
  });

  it('is refused when it names another key or algorithm, or is no signature', () => {
    const parts = JSON.parse(new TextDecoder().decode(signature));
    const other = newKey();
    for (const bad of [
      { ...parts, alg: 'none' },
      { ...parts, keyId: releaseKeyId(other.publicKey) },
      { ...parts, signature: Buffer.alloc(64).toString('base64url') },
      { ...parts, more: 1 },
      null,
    ])
      expect(isReleaseSigned(bytes, bytesOf(JSON.stringify(bad)), [publicKey, other.publicKey])).toBe(false);
    expect(isReleaseSigned(bytes, bytesOf('{'), [publicKey])).toBe(false);
    expect(isReleaseSigned(bytes, new Uint8Array(2000), [publicKey])).toBe(false);
  });

  it('takes keys on P-256 alone', () => {
    const spkiOf = (key: Parameters<typeof createPublicKey>[0]) =>
      createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
    expect(releaseKeyId(readReleaseKey(spkiOf(pem)))).toBe(releaseKeyId(publicKey));
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    expect(() => readReleaseKey(spkiOf(p384.publicKey.export({ format: 'pem', type: 'spki' })))).toThrow('P-256');
    expect(() => signRelease(bytes, p384.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString())).toThrow('P-256');
    expect(() => readReleaseKey('none')).toThrow();
  });
});

it('versions are ordered by semantic precedence', () => {
  const order = [
    '0.9.10',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0',
    '1.0.10',
  ];
  for (const [i, a] of order.entries())
    for (const [j, b] of order.entries()) expect(Math.sign(compareVersions(a, b)), `${a} ${b}`).toBe(Math.sign(i - j));
});
