import { describe, expect, it } from 'vitest';
import { type MaskRules, maskText, maskTexts } from './mask.ts';

const USUAL: MaskRules = { classification: {}, redactFrom: 'pii' };
const masked = (text: string, rules = USUAL): string => maskText(text, rules).text;

describe('what is masked unless a policy says otherwise', () => {
  it.each([
    ['41 devices behind gateway 10.64.32.1', '41 devices behind gateway 10.64.32.0/24'],
    ['prefix 10.64.0.0/16, host 10.64.32.7/32', 'prefix 10.64.0.0/16, host 10.64.32.0/24'],
    ['to 2001:db8:12:34::7 and fe80::1%eth0', 'to 2001:db8:12::/48 and fe80:0:0::/48'],
    ['by mara.s@fennmark.example.', 'by m***@fennmark.example.'],
    ['at 14:03:05, version 1.2.3.4.5', 'at 14:03:05, version 1.2.3.4.5'],
    ['GET https://shop.example/a', 'GET https://shop.example/a'],
    ['at 52.52000,13.40500', 'at [place]'],
  ])('%s', (text, wanted) => expect(masked(text)).toBe(wanted));

  it.each([
    ['Authorization: Bearer abc.def.ghi'],
    ['password=hunter2!'],
    ['{"api_key": "k-123456"}'],
    ['AWS AKIAIOSFODNN7EXAMPLE used'],
    ['token svc_pat_0123456789abcdef'],
    ['postgres://app:s3cr3t@db.example/shop'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N'],
    ['ghp_0123456789abcdefABCDEF'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----'],
  ])('no credential leaves: %s', (text) => {
    const { text: left, counts } = maskText(text, { ...USUAL, redactFrom: 'restricted' });
    expect(left).toContain('[removed]');
    expect(left).not.toMatch(/hunter2|k-123456|AKIAIOS|0123456789abcdef|s3cr3t|eyJ|MIIEvQ|abc\.def/);
    expect(counts.credential).toBeGreaterThanOrEqual(1);
  });
});

it('follows a policy: hosts as personal, addresses as public, and the floor', () => {
  expect(masked('shop.example at 10.1.2.3', { ...USUAL, classification: { hostname: 'pii', ip_address: 'public' } })).toBe(
    '[host] at 10.1.2.3',
  );
  expect(masked('aa:bb:cc:dd:ee:ff')).toBe('aa:bb:cc:dd:ee:ff');
  expect(masked('aa:bb:cc:dd:ee:ff', { ...USUAL, redactFrom: 'confidential' })).toBe('aa:bb:cc');
  expect(masked('10.1.2.3', { ...USUAL, classification: { ip_address: 'restricted' } })).toBe('[removed]');
});

it('takes a long text without slowing down', () => {
  const long = `${'a'.repeat(50_000)} ${'1.'.repeat(20_000)} ${':'.repeat(20_000)} ${'x@'.repeat(20_000)} ${'token'.repeat(10_000)}`;
  const startedMs = performance.now();
  maskText(long, { ...USUAL, redactFrom: 'public' });
  expect(performance.now() - startedMs).toBeLessThan(5000);
});

it.each(['-a', '-aA', 'x/', 'a1-', 'token-', '+A0'])('takes no longer for %j again and again than for anything else', (unit) => {
  const text = unit.repeat(60_000);
  const startedMs = performance.now();
  maskText(text, { ...USUAL, redactFrom: 'public' });
  // From each sign on to the end it would be minutes.
  expect(performance.now() - startedMs).toBeLessThan(5000);
});

it('drops a name with its value, however the name begins', () => {
  for (const text of [
    'my.db-password=hunter22',
    `${'x-'.repeat(40)}password=hunter22`,
    'dbpassword: "hunter22"',
    '_token=>hunter22',
  ])
    expect(masked(`at ${text} now`)).toMatch(/^at (?:x-)*\[removed\] now$/);
  expect(masked('sha /opt/AbCdEf0123456789AbCdEf0123456789 gone')).toBe('sha [removed] gone');
});

it('leaves the thread to others between texts that take long', async () => {
  const texts = Array.from({ length: 60 }, () => 'a.'.repeat(2000));
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 1);
  const masked = await maskTexts([...texts, 'from 10.1.2.3'], { ...USUAL, redactFrom: 'public' });
  clearInterval(others);
  expect({ count: masked.length, last: masked.at(-1)?.text, others: turns > 3 }).toEqual({
    ...{ count: 61, last: 'from 10.1.2.0/24', others: true },
  });
});
