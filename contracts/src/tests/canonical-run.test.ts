import { expect, it } from 'vitest';
import { CanonicalResult } from '../results/canonical-result.ts';
import { readCanonicalRun, toCanonicalResult } from './canonical-run.ts';
import type { RunReport } from './run-report.ts';

const report: RunReport = {
  result_id: '01990000-0000-7000-8000-000000000001',
  test_id: '01990000-0000-7000-8000-000000000002',
  test_version: 3,
  runner_id: 'built-in',
  type: 'https',
  target: 'https://shop.example:8443/cart?x=1',
  planned_at: '2026-11-25T10:00:00.000Z',
  started_at: '2026-11-25T10:00:00.010Z',
  on_demand: false,
  success: false,
  fault: 'assertion',
  error: 'status is 503, wanted 2xx',
  phases: { dns: 1.5, connect: 2, tls: 8, first_byte: 30, transfer: 1 },
  total_ms: 42.5,
  figures: { status: 503, bytes: 17 },
  address: '10.0.0.7',
  port: 8443,
  assertions: [{ rule: 'status', wanted: '2xx', got: '503', passed: false }],
  certificate: {
    subject: 'CN=shop.example',
    issuer: 'CN=Lab',
    names: Array.from({ length: 50 }, (_, i) => `name-${i}.of.a.very.long.list.shop.example`),
    not_before: '2026-01-01T00:00:00.000Z',
    not_after: '2027-01-01T00:00:00.000Z',
    fingerprint: 'a'.repeat(64),
    key: 'P-256',
    protocol: 'TLSv1.3',
    chain_length: 3,
    chain_bytes: 3900,
    trusted: true,
    name_matches: true,
  },
};

it('becomes a canonical result and can be read back', () => {
  const result = CanonicalResult.parse(toCanonicalResult(report, 'acme'));
  expect(result).toMatchObject({ server_address: 'shop.example', server_port: 8443, success: false, duration_ms: 42.5 });
  const run = readCanonicalRun(result);
  expect(run).toMatchObject({
    version: 3,
    onDemand: false,
    fault: 'assertion',
    phases: report.phases,
    assertions: report.assertions,
  });
  expect(run.certificate?.not_after).toBe(report.certificate?.not_after);
});

it('names the host of targets that are no URL', () => {
  const of = (type: RunReport['type'], target: string) => {
    const { server_address, server_port } = toCanonicalResult({ ...report, type, target, port: undefined }, 'acme');
    return [server_address, server_port];
  };
  expect(of('tcp', 'mail.example:465')).toEqual(['mail.example', 465]);
  expect(of('icmp', '2001:db8::1')).toEqual(['2001:db8::1', undefined]);
  expect(of('udp', '[2001:db8::1]:53')).toEqual(['2001:db8::1', 53]);
  expect(of('dns', 'shop.example')).toEqual(['shop.example', undefined]);
});

it('keeps every attribute within its bound', () => {
  const long = 'x'.repeat(512);
  const result = toCanonicalResult(
    { ...report, assertions: [{ rule: 'json', wanted: `"${long}`, got: `\\${long}`, passed: false }] },
    'a',
  );
  expect(Math.max(...Object.values(result.attributes).map((value) => value.length))).toBeLessThanOrEqual(1024);
  expect(readCanonicalRun(result).assertions).toHaveLength(1);
});
