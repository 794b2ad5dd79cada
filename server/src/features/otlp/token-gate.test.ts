import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sha256 } from '#crypto';
import { parseTenantId } from '#kernel';
import { createTokenGate, findHash, type TokenEntry, type TokenTable } from './token-gate.ts';

const ACME = parseTenantId('acme');
const entry = (id: string, more: Partial<TokenEntry> = {}): TokenEntry => ({
  id,
  tenant: ACME,
  expiresAtMs: null,
  revoked: false,
  ...more,
});

const toTable = (tokens: readonly string[], entries = tokens.map((token) => entry(token))): TokenTable => ({
  hashes: Buffer.concat(tokens.map((token) => sha256(token))),
  entries,
});

const wordsOf = (bytes: Buffer) => new Int32Array(new Uint8Array(bytes).buffer);

describe('findHash', () => {
  const hashes = Array.from({ length: 1000 }, () => randomBytes(32));
  const all = wordsOf(Buffer.concat(hashes));

  it('finds each of a thousand hashes at its place', () => {
    for (const [place, hash] of hashes.entries()) expect(findHash(all, wordsOf(hash))).toBe(place);
  });

  it('finds nothing that differs in one bit, wherever it is', () => {
    for (let bit = 0; bit < 256; bit += 1) {
      const near = Buffer.from(hashes[500] as Buffer);
      near.writeUInt8(near.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(findHash(all, wordsOf(near))).toBe(-1);
    }
    expect(findHash(new Int32Array(), wordsOf(randomBytes(32)))).toBe(-1);
  });

  it('reads every word of every hash, whatever matches', () => {
    const countReads = (wanted: Int32Array): number => {
      let reads = 0;
      const counting = new Proxy(all, {
        get(target, key) {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
          return Reflect.get(target, key);
        },
      });
      findHash(counting, wanted);
      return reads;
    };
    for (const wanted of [hashes[0], hashes[999], randomBytes(32)]) expect(countReads(wordsOf(wanted as Buffer))).toBe(8000);
  });
});

describe('the gate', () => {
  const connection = {};

  it.each([
    ['nothing', undefined, 'missing_token'],
    ['an empty header', '', 'missing_token'],
    ['another scheme', 'Basic good', 'missing_token'],
    ['two words', 'Bearer good good', 'missing_token'],
    ['more than any token is long', `Bearer ${'x'.repeat(5000)}`, 'missing_token'],
    ['a token of nobody', 'Bearer wrong', 'unknown_token'],
    ['the beginning of a token', 'Bearer goo', 'unknown_token'],
  ])('refuses %s', (_what, header, reason) => {
    const gate = createTokenGate();
    gate.setTokens(toTable(['good']));
    const checked = gate.check(header, connection);
    expect('refusal' in checked ? checked.refusal.reason : undefined).toBe(reason);
  });

  it('takes several valid tokens, the scheme in any case', () => {
    const gate = createTokenGate();
    gate.setTokens(toTable(['one', 'two']));
    expect(gate.check('Bearer one', connection)).toEqual({ entry: entry('one') });
    expect(gate.check('bearer  two', connection)).toEqual({ entry: entry('two') });
  });

  it('takes no header for one that it remembers and that differs in a letter', () => {
    const gate = createTokenGate();
    gate.setTokens(toTable(['good']));
    expect(gate.check('Bearer good', connection)).toHaveProperty('entry');
    for (const near of ['Bearer gooe', 'Bearer hood', 'Bearer goo', 'Bearer goodx', 'Cearer good'])
      expect(gate.check(near, connection)).toHaveProperty('refusal');
    expect(gate.check('Bearer good', connection)).toEqual({ entry: entry('good') });
  });

  it('judges a remembered token by the tokens and the time of now', () => {
    let nowMs = 1000;
    const gate = createTokenGate(() => nowMs);
    gate.setTokens(toTable(['good'], [entry('good', { expiresAtMs: 2000 })]));
    expect(gate.check('Bearer good', connection)).toHaveProperty('entry');
    expect(gate.countValid()).toBe(1);
    nowMs = 2000;
    expect(gate.check('Bearer good', connection)).toMatchObject({ refusal: { reason: 'expired_token' }, entry: { id: 'good' } });
    expect(gate.countValid()).toBe(0);
    // The clock goes back: the token is good again, as its date says.
    nowMs = 1500;
    expect('refusal' in gate.check('Bearer good', connection)).toBe(false);
    gate.setTokens(toTable(['other', 'good'], [entry('other'), entry('good', { revoked: true })]));
    expect(gate.check('Bearer good', connection)).toMatchObject({ refusal: { reason: 'revoked_token' } });
    gate.setTokens(toTable(['other']));
    expect(gate.check('Bearer good', connection)).toMatchObject({ refusal: { reason: 'unknown_token' } });
    expect(gate.check('Bearer other', connection)).toEqual({ entry: entry('other') });
  });
});
