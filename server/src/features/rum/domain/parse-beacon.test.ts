import { describe, expect, it } from 'vitest';
import { findKey, openBody, parseBeacon } from './parse-beacon.ts';

const GOOD = { v: 1, key: 'k', consent: true, host: 'shop.example', page: '/cart' };
const bytesOf = (text: string): Buffer => Buffer.from(text, 'utf8');
const read = (more: object): ReturnType<typeof parseBeacon> => parseBeacon({ ...GOOD, ...more });
const faultOf = (more: object): unknown => {
  const found = read(more);
  return 'reason' in found ? [found.reason, found.field] : 'accepted';
};

describe('a beacon', () => {
  it('needs version, key, consent, host and page, and says nothing where it measured nothing', () => {
    expect(read({})).toEqual({
      ...{ host: 'shop.example', page: '/cart', browser: 'other', vitals: {}, errors: 0, failedRequests: 0, sdk: undefined },
    });
  });

  it('brings what it measured', () => {
    const vitals = { ttfb_ms: 0, fcp_ms: 1.5, lcp_ms: 600_000, inp_ms: 2, load_ms: 3, cls: 1000 };
    expect(read({ host: 'SHOP.Example.', browser: 'edge', vitals, errors: 10_000, failed_requests: 1, sdk: '1.0.0' })).toEqual({
      ...{ host: 'shop.example', page: '/cart', browser: 'edge', errors: 10_000, failedRequests: 1, sdk: '1.0.0' },
      vitals: { ttfb: 0, fcp: 1.5, lcp: 600_000, inp: 2, load: 3, cls: 1000 },
    });
  });

  it.each([
    [{ consent: undefined }],
    [{ consent: false }],
    [{ consent: 'true' }],
    [{ consent: 1 }],
    // Before all else that is wrong with it.
    [{ consent: false, user_id: 'ann', v: 2 }],
  ])('without consent is refused for that: %j', (more) => {
    expect(faultOf(more)).toEqual(['no_consent', 'consent']);
  });

  it.each([
    [{ user_id: 'ann' }, 'user_id'],
    [{ email: 'ann@example.com' }, 'email'],
    [{ ip: '198.51.100.7' }, 'ip'],
    [JSON.parse('{"__proto__": {"v": 1}}'), '__proto__'],
    [{ constructor: 1 }, 'constructor'],
    // What is no word of a field may be somebody's data: it is not told back.
    [{ 'ann@example.com': 1 }, '(unnamed)'],
    [{ '198.51.100.7': 1 }, '(unnamed)'],
    [{ v: 2 }, 'v'],
    [{ v: '1' }, 'v'],
    [{ key: 7 }, 'key'],
    [{ key: 'k'.repeat(129) }, 'key'],
    [{ host: 'shop.example:443' }, 'host'],
    [{ host: 'a b' }, 'host'],
    [{ host: 'https://shop.example' }, 'host'],
    [{ page: 'cart' }, 'page'],
    [{ page: 'https://shop.example/cart' }, 'page'],
    [{ page: `/${'x'.repeat(4096)}` }, 'page'],
    [{ browser: 'Chrome' }, 'browser'],
    [{ browser: null }, 'browser'],
    [{ sdk: 'x'.repeat(33) }, 'sdk'],
    [{ errors: 1.5 }, 'errors'],
    [{ errors: -1 }, 'errors'],
    [{ errors: 10_001 }, 'errors'],
    [{ failed_requests: '0' }, 'failed_requests'],
    [{ vitals: null }, 'vitals'],
    [{ vitals: [] }, 'vitals'],
    [{ vitals: { lcp: 1 } }, 'vitals.lcp'],
    [{ vitals: { lcp_ms: '1' } }, 'vitals.lcp_ms'],
    [{ vitals: { lcp_ms: 600_001 } }, 'vitals.lcp_ms'],
    [{ vitals: { cls: -0.1 } }, 'vitals.cls'],
    [{ vitals: { cls: Number.POSITIVE_INFINITY } }, 'vitals.cls'],
  ])('with what its schema does not have is refused at that field: %j', (more, field) => {
    expect(faultOf(more)).toEqual(['invalid_field', field]);
  });
});

describe('a body', () => {
  it.each([
    ['', 'not JSON'],
    ['{"key":"k"', 'not JSON'],
    ['[]', 'no JSON object'.slice(3)],
    ['null', 'JSON object'],
    ['\ufeff{"key":"k"}', 'not JSON'],
    ['{"key":"k","consent":false,"consent":true}', 'twice'],
    ['{"key":"k","vitals":{"cls":1,"cls":2}}', 'twice'],
    ['{"key":"k","\\u006bey":"k"}', 'twice'],
    [`{"key":"k","a":${'['.repeat(40)}${']'.repeat(40)}}`, 'too deep'],
  ])('that cannot be read says why: %s', (text, why) => {
    const { fields, fault } = openBody(bytesOf(text));
    expect(fields).toBeUndefined();
    expect(fault).toContain(why);
  });

  it('that is not UTF-8 is not read, and its key is made out all the same', () => {
    const opened = openBody(Buffer.concat([bytesOf('{"key":"k","page":"/'), Buffer.from([0xff]), bytesOf('"}')]));
    expect(opened).toEqual({ fields: undefined, key: 'k', fault: 'It is not UTF-8.' });
  });

  it('names its key where it is broken', () => {
    expect(openBody(bytesOf('{"v":1,"key" : "app_shop_1", nonsense')).key).toBe('app_shop_1');
    expect(findKey('{"v":1}')).toBeUndefined();
  });

  it('may hold colons, brackets and escaped quotes in its strings', () => {
    const text = JSON.stringify({ ...GOOD, page: `/a:b"\\${'['.repeat(100)}` });
    expect(openBody(bytesOf(text)).fields).toBeDefined();
  });
});
