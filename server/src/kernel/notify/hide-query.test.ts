import { expect, it } from 'vitest';
import { hideQuery, keepQuery } from './hide-query.ts';

const former = { url: 'https://example.com/in?token=s3cret&team=a', credential: 'x', settings: {} };
const SHOWN = 'https://example.com/in?token=***&team=***';

it.each([
  ['https://example.com/in', 'https://example.com/in'],
  [former.url, SHOWN],
  [SHOWN, SHOWN],
  ['https://example.com/?s3cret', 'https://example.com/?***'],
  ['https://example.com/?czNjcmV0=', 'https://example.com/?***'],
  ['https://example.com/?czNjcmV0MQ==', 'https://example.com/?***'],
  ['https://example.com/?t=a=b&&u=', 'https://example.com/?t=***&&***'],
  ['https://example.com/?a=1?b=2', 'https://example.com/?a=***'],
])('of %s is shown %s', (url, shown) => {
  expect(hideQuery(url)).toBe(shown);
  expect(hideQuery(shown)).toBe(shown);
});

it('keeps an address that comes back as it was shown', () => {
  expect(keepQuery({ url: ` ${SHOWN} `, credential: 'n' }, former)).toEqual({ url: former.url, credential: 'n' });
  expect(keepQuery({ url: 'https://other.example/?a=b' }, former)).toEqual({ url: 'https://other.example/?a=b' });
  expect(keepQuery({ credential: 'n' }, former)).toEqual({ credential: 'n' });
});

it.each(['https://other.example/in?token=***&team=***', 'https://example.com/in?token=***', 'https://example.com/in?***'])(
  'carries no hidden value to %s',
  (url) => {
    for (const before of [former, undefined])
      expect(() => keepQuery({ url }, before)).toThrow(
        expect.objectContaining({ faults: [expect.objectContaining({ path: 'values.url' })] }),
      );
  },
);
