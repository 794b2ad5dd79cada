import { describe, expect, it } from 'vitest';
import { encodeName, encodeQuery, parseResponse } from './dns-message.ts';

const query = encodeQuery(0x1234, 'App.lab.test.');
const answer = (code: number, change: (bytes: Buffer) => void = () => undefined): Buffer => {
  const bytes = Buffer.from(query);
  bytes.writeUInt16BE(0x8180 | code, 2);
  change(bytes);
  return bytes;
};

describe('a DNS query', () => {
  it('asks recursively for the A record', () => {
    expect(query.toString('hex')).toBe('12340100000100000000000003617070036c616204746573740000010001');
  });

  it('takes international names', () => {
    expect(encodeName('bücher.test').toString('latin1')).toBe('\x0dxn--bcher-kva\x04test\x00');
  });

  it.each(['', '.', 'a..b', `${'a'.repeat(64)}.test`, `${'abc.'.repeat(70)}test`])('refuses %o', (name) => {
    expect(() => encodeName(name)).toThrow(RangeError);
  });
});

describe('a DNS answer', () => {
  it.each([
    [0, 'NOERROR'],
    [2, 'SERVFAIL'],
    [3, 'NXDOMAIN'],
    [5, 'REFUSED'],
    [9, 'RCODE_9'],
  ])('with code %i is %s', (code, name) => {
    expect(parseResponse(query, answer(code))).toBe(name);
  });

  it('may repeat the name in another case, or leave the question out', () => {
    expect(
      parseResponse(
        query,
        answer(0, (bytes) => bytes.write('aPP', 13, 'latin1')),
      ),
    ).toBe('NOERROR');
    expect(parseResponse(query, answer(1, (bytes) => bytes.writeUInt16BE(0, 4)).subarray(0, 12))).toBe('FORMERR');
  });

  it('is none with another number, another name, as a query or cut short', () => {
    expect(
      parseResponse(
        query,
        answer(0, (bytes) => bytes.writeUInt16BE(1, 0)),
      ),
    ).toBeUndefined();
    expect(
      parseResponse(
        query,
        answer(0, (bytes) => bytes.write('xxx', 13, 'latin1')),
      ),
    ).toBeUndefined();
    expect(parseResponse(query, query)).toBeUndefined();
    for (let length = 0; length < query.length; length += 1)
      expect(parseResponse(query, answer(0).subarray(0, length))).toBeUndefined();
  });
});
