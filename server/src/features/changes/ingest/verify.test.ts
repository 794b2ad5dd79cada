import { createHmac } from 'node:crypto';
import { readVectors, signingTokenHeaders } from '@svc/testkit/forge-deliveries';
import { describe, expect, it, test } from 'vitest';
import { verify } from './verify.ts';

const SECRET = 'sixteen characters at least';
const BODY = Buffer.from('{"title":"Ünïcode 🙂"}');
const NOW = Date.UTC(2026, 5, 2, 12);
const hex = (secret: string, body: Uint8Array) => createHmac('sha256', secret).update(body).digest('hex');
const signed = (headers: Record<string, string | string[]>, body: Uint8Array = BODY) => ({ headers, body, nowMs: NOW });

describe.each([
  ['generic', 'x-svc-signature'],
  ['forge_a', 'x-hub-signature-256'],
] as const)('%s', (provider, header) => {
  const right = `sha256=${hex(SECRET, BODY)}`;
  it.each([
    ['right', right, undefined],
    ['upper case', `sha256=${hex(SECRET, BODY).toUpperCase()}`, undefined],
    ['empty', '', 'no_signature'],
    ['without its name', hex(SECRET, BODY), 'malformed_signature'],
    ['of another kind', `sha1=${hex(SECRET, BODY)}`, 'malformed_signature'],
    ['truncated', right.slice(0, -1), 'malformed_signature'],
    ['longer', `${right}0`, 'malformed_signature'],
    ['doubled', `${right}, ${right}`, 'malformed_signature'],
    ['with a space before it', ` ${right}`, 'malformed_signature'],
    ['of no hexadecimal digits', `sha256=${'g'.repeat(64)}`, 'malformed_signature'],
    ['over another body', `sha256=${hex(SECRET, Buffer.from('{}'))}`, 'wrong_signature'],
    ['with another secret', `sha256=${hex('another', BODY)}`, 'wrong_signature'],
  ])('%s', (_name, value, wanted) => expect(verify(provider, SECRET, signed({ [header]: value }))).toBe(wanted));

  it('none at all, and that of the other provider', () => {
    expect(verify(provider, SECRET, signed({}))).toBe('no_signature');
    const other = provider === 'generic' ? 'x-hub-signature-256' : 'x-svc-signature';
    expect(verify(provider, SECRET, signed({ [other]: right }))).toBe('no_signature');
  });

  it('an empty body is signed like any other', () => {
    const empty = Buffer.alloc(0);
    expect(verify(provider, SECRET, signed({ [header]: `sha256=${hex(SECRET, empty)}` }, empty))).toBeUndefined();
  });
});

test('what GitHub publishes verifies', () => {
  for (const { secret, body, value } of readVectors<Record<string, string>>('github'))
    expect(
      verify('forge_a', secret ?? '', signed({ 'x-hub-signature-256': value ?? '' }, Buffer.from(body ?? ''))),
    ).toBeUndefined();
});

describe('GitLab’s token', () => {
  it.each(['x-gitlab-token', 'x-forge-token'])('%s', (header) => {
    expect(verify('forge_b', SECRET, signed({ [header]: SECRET }))).toBeUndefined();
    expect(verify('forge_b', SECRET, signed({ [header]: `${SECRET}, ${SECRET}` }))).toBe('wrong_token');
    expect(verify('forge_b', SECRET, signed({ [header]: SECRET.slice(0, -1) }))).toBe('wrong_token');
    expect(verify('forge_b', SECRET, signed({ [header]: '' }))).toBe('no_token');
  });
});

describe('GitLab’s signing token', () => {
  const TOKEN = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const seconds = NOW / 1000;
  const right = signingTokenHeaders(TOKEN, BODY, { id: 'msg', seconds });
  const check = (headers: Record<string, string>) => verify('forge_b', TOKEN, signed(headers));

  it('lets in what it signed, among other signatures too', () => {
    expect(check(right)).toBeUndefined();
    expect(check({ ...right, 'webhook-signature': `v1,${'A'.repeat(44)} ${right['webhook-signature']} v2,x` })).toBeUndefined();
  });

  it('never falls back to the token', () => {
    expect(check({ 'x-gitlab-token': TOKEN })).toBe('no_signature');
    expect(check({ ...right, 'x-gitlab-token': TOKEN, 'webhook-signature': `v1,${'A'.repeat(44)}` })).toBe('wrong_signature');
  });

  it('refuses old and future ones, other ids, and what is no signature', () => {
    for (const off of [301, -301])
      expect(check(signingTokenHeaders(TOKEN, BODY, { id: 'msg', seconds: seconds + off }))).toBe('stale_timestamp');
    expect(check({ ...right, 'webhook-id': 'other' })).toBe('wrong_signature');
    expect(check({ ...right, 'webhook-timestamp': 'noon' })).toBe('malformed_signature');
    expect(check({ ...right, 'webhook-signature': right['webhook-signature'].slice(3) })).toBe('malformed_signature');
  });

  it('what the scheme publishes verifies', () => {
    for (const vector of readVectors<{ signing_token: string; headers: Record<string, string>; body: string }>('gitlab')) {
      const nowMs = Number(vector.headers['webhook-timestamp']) * 1000;
      expect(
        verify('forge_b', vector.signing_token, { headers: vector.headers, body: Buffer.from(vector.body), nowMs }),
      ).toBeUndefined();
    }
  });
});
