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
    expect(parseResponse(query, answer(code))).toEqual({ code: name, addresses: [] });
  });

  it('may repeat the name in another case, or leave the question out', () => {
    expect(
      parseResponse(
        query,
        answer(0, (bytes) => bytes.write('aPP', 13, 'latin1')),
      ),
    ).toMatchObject({ code: 'NOERROR' });
    expect(parseResponse(query, answer(1, (bytes) => bytes.writeUInt16BE(0, 4)).subarray(0, 12))).toMatchObject({
      code: 'FORMERR',
    });
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

  describe('with records', () => {
    const ALIAS = Buffer.from('c00c000500010000003c0006036177730000', 'hex').subarray(0, 17);
    const record = (type: number, data: readonly number[]): Buffer => {
      const head = Buffer.from('c00c0000000100000005', 'hex');
      head.writeUInt16BE(type, 2);
      return Buffer.concat([head, Buffer.from([0, data.length, ...data])]);
    };
    const withRecords = (...records: readonly Buffer[]): Buffer =>
      Buffer.concat([answer(0, (bytes) => bytes.writeUInt16BE(records.length, 6)), ...records]);

    it('has their addresses, behind aliases and other records too', () => {
      const alias = record(5, [3, 97, 119, 115, 0]);
      const full = withRecords(alias, record(1, [203, 0, 113, 9]), record(28, Array(16).fill(1)), record(1, [10, 0, 0, 1]));
      expect(parseResponse(query, full)?.addresses).toEqual(['203.0.113.9', '10.0.0.1']);
    });

    it('never reads beyond its end, wherever it is cut or wrong', () => {
      const full = withRecords(ALIAS, record(1, [203, 0, 113, 9]), record(1, [203, 0, 113, 10]));
      for (let length = query.length; length <= full.length; length += 1)
        expect(() => parseResponse(query, full.subarray(0, length))).not.toThrow();
      for (let at = query.length; at < full.length; at += 1) {
        const wrong = Buffer.from(full);
        wrong.writeUInt8(0xff, at);
        expect(() => parseResponse(query, wrong)).not.toThrow();
      }
      const claims = answer(0, (bytes) => bytes.writeUInt16BE(0xffff, 6));
      expect(parseResponse(query, claims)?.addresses).toEqual([]);
    });
  });
});
