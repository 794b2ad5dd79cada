import { describe, expect, it } from 'vitest';
import { hideSecrets, NO_SECRETS } from './hide-secrets.ts';

const KEY = 'xoxb-0000-1111-planted';
const of = (text: string, alone: readonly string[] = [KEY], whole: readonly string[] = []) => hideSecrets(text, { alone, whole });

describe('of a secret in a text', () => {
  it.each([
    [`no ${KEY} here`, 'no *** here'],
    [KEY, '***'],
    [`${KEY}${KEY}`, '***'],
    [`${KEY} and ${KEY}`, '*** and ***'],
    // Cut before its end, and behind its beginning.
    ['token xoxb-0000-1111-pl', 'token ***'],
    ['token xoxb-0000…', 'token ***…'],
    ['...11-planted is unknown', '...*** is unknown'],
    ['1-planted', '***'],
    // Both halves.
    ['xoxb-0000-...-planted xoxb-000', '***...*** ***'],
    // Too little of it says nothing, and would be found in ordinary words.
    ['a xoxb-00 and planted', 'a xoxb-00 and planted'],
  ])('%s is shown %s', (text, shown) => expect(of(text)).toBe(shown));

  it('nothing is left where two lie in each other', () => {
    expect(of('x 0123456789abcdef y', ['0123456789', '456789abcdef'])).toBe('x *** y');
    expect(of('x 0123456789abcdef y', ['0123456789abcdefgh', '0123456789'])).toBe('x *** y');
  });

  it('words of everybody stay: halves are hidden of what is secret alone', () => {
    expect(of('bot@example.com is no user', [], ['bot@example.com:planted'])).toBe('bot@example.com is no user');
    expect(of('the workflow is gone', ['workflows'])).toBe('the workflow is gone');
    expect(of('the workflows', ['workflows'])).toBe('the ***');
  });

  it('a text without secrets stays', () => {
    expect(hideSecrets('anything', NO_SECRETS)).toBe('anything');
    expect(of('', [''])).toBe('');
  });

  it('every beginning and every end of eight characters or more goes, wherever the answer was cut', () => {
    for (let length = 8; length <= KEY.length; length += 1) {
      expect(of(`key ${KEY.slice(0, length)}`)).toBe('key ***');
      expect(of(`key ${KEY.slice(-length)} x`)).toBe('key *** x');
    }
  });

  it('takes no longer for a text made to be slow', () => {
    const startedMs = performance.now();
    of('a'.repeat(8192), ['a'.repeat(4000)]);
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });
});
