import { expect, it } from 'vitest';
import { parseOwnTarget } from './own-target.ts';

it('tells a host to trace from an address to connect to', () => {
  expect(parseOwnTarget(' Intranet.Example. ')).toEqual({ kind: 'trace', target: 'intranet.example' });
  expect(parseOwnTarget('2001:db8::1')).toEqual({ kind: 'trace', target: '2001:db8::1' });
  expect(parseOwnTarget('https://intranet.example')).toEqual({ kind: 'session', target: 'https://intranet.example/' });
});

it('says what is wrong in words', () => {
  for (const text of ['', 'ftp://x.example', 'https://user:pass@x.example/', 'two words', 'x/y', 'https://']) {
    expect(parseOwnTarget(text)).toHaveProperty('fault');
  }
});
