import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { verifyHex, verifyStandard, verifyToken } from './signatures.ts';

const BODY = Buffer.from('{"title":"Ünïcode 🙂"}');
const NOW = Date.UTC(2026, 5, 2, 12);
const hex = (secret: string) => createHmac('sha256', secret).update(BODY).digest('hex');
const of = (headers: Record<string, string | string[]>, body: Uint8Array = BODY) => ({ headers, body, nowMs: NOW });

it('takes one signature in hexadecimal digits, or any of several while a secret rotates', () => {
  const one = { header: 'x-signature', prefix: 'v1=' };
  const list = { ...one, isList: true };
  const [right, wrong] = [`v1=${hex('right')}`, `v1=${hex('wrong')}`];
  const verdicts = (value: string | string[] | undefined) =>
    [one, list].map((form) => verifyHex('right', of(value === undefined ? {} : { 'x-signature': value }), form));
  expect(verdicts(undefined)).toEqual(['absent', 'absent']);
  expect(verdicts('')).toEqual(['absent', 'absent']);
  expect(verdicts(right)).toEqual(['taken', 'taken']);
  expect(verdicts(wrong)).toEqual(['wrong', 'wrong']);
  expect(verdicts(`${wrong}, ${right}`)).toEqual(['malformed', 'taken']);
  expect(verdicts([wrong, right])).toEqual(['malformed', 'taken']);
  expect(verdicts(`v2=${hex('right')}`)).toEqual(['malformed', 'malformed']);
  expect(verdicts(`${Array.from({ length: 10 }, () => wrong).join()},${right}`)).toEqual(['malformed', 'wrong']);
  expect(verifyHex('right', of({ 'x-signature': right }, Buffer.from('{}')), one)).toBe('wrong');
});

it('takes a token in the first of its headers that is there', () => {
  const names = ['x-first', 'x-second'];
  expect(verifyToken('right', of({}), names)).toBe('absent');
  expect(verifyToken('right', of({ 'x-second': 'right' }), names)).toBe('taken');
  expect(verifyToken('right', of({ 'x-first': 'wrong', 'x-second': 'right' }), names)).toBe('wrong');
  expect(verifyToken('right', of({ 'x-first': '', 'x-second': 'right' }), names)).toBe('absent');
});

it('takes a Standard Webhooks signature over id, time and body, for five minutes', () => {
  const key = Buffer.alloc(32, 7);
  const secret = `whsec_${key.toString('base64')}`;
  const at = (seconds: number, id = 'a', signedId = id) => {
    const signature = createHmac('sha256', key).update(`${signedId}.${seconds}.`).update(BODY).digest('base64');
    return of({ 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,AAAA v1,${signature}` });
  };
  const now = NOW / 1000;
  expect([now, now - 300, now + 300].map((seconds) => verifyStandard(secret, at(seconds)))).toEqual(['taken', 'taken', 'taken']);
  expect([now - 301, now + 301].map((seconds) => verifyStandard(secret, at(seconds)))).toEqual(['stale', 'stale']);
  expect(verifyStandard(secret, at(now, 'b', 'a'))).toBe('wrong');
  expect(verifyStandard(secret, of({}))).toBe('absent');
});
