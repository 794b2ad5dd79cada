import { describe, expect, it } from 'vitest';
import type { ResolverMeasurement } from './resolver.ts';
import { capturedBy, compareResolvers } from './resolver-lies.ts';

type Answers = Readonly<Record<string, string | readonly string[]>>;

/** A server by its answers: a response code, or addresses. */
const server = (answers: Answers, invalidAddresses: readonly string[] | null = []): ResolverMeasurement => ({
  server: '192.168.1.1',
  isPrivate: true,
  success: true,
  sent: 3,
  lost: 0,
  lossRatio: 0,
  rttsMs: [4],
  rttAvgMs: 4,
  rttMedianMs: 4,
  responseCode: 'NOERROR',
  answers: Object.entries(answers).map(([name, answer]) =>
    typeof answer === 'string' ? { name, code: answer, addresses: [] } : { name, code: 'NOERROR', addresses: answer },
  ),
  invalidAddresses,
  lies: invalidAddresses !== null && invalidAddresses.length > 0 ? 'wildcard' : null,
});
const liesOf = (...all: readonly ResolverMeasurement[]) => compareResolvers(all).map((one) => one.lies);

describe('resolvers that disagree', () => {
  it('show who denies a name that the other one finds', () => {
    expect(liesOf(server({ 'crm.example': 'NXDOMAIN' }), server({ 'crm.example': ['203.0.113.9'] }))).toEqual(['nxdomain', null]);
  });

  it('show who gives a private address, or a placeholder, for a public name', () => {
    const honest = server({ 'crm.example': ['203.0.113.9'] });
    expect(liesOf(honest, server({ 'crm.example': ['10.0.0.1'] }))).toEqual([null, 'private']);
    expect(liesOf(honest, server({ 'crm.example': ['0.0.0.0'] }))).toEqual([null, 'private']);
  });

  it('do not by different public addresses, failures or silence', () => {
    const honest = server({ 'crm.example': ['203.0.113.9'] });
    expect(liesOf(honest, server({ 'crm.example': ['198.51.100.7'] }), server({ 'crm.example': 'SERVFAIL' }))).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('do not where a split DNS knows a name on one side only', () => {
    expect(liesOf(server({ 'intra.example': ['10.1.2.3'] }), server({ 'intra.example': 'NXDOMAIN' }))).toEqual([null, null]);
  });

  it('are not compared with one that answers everything', () => {
    expect(liesOf(server({ 'crm.example': ['203.0.113.9'] }, ['203.0.113.9']), server({ 'crm.example': 'NXDOMAIN' }))).toEqual([
      'wildcard',
      null,
    ]);
  });
});

describe('a resolver that captures', () => {
  it('gives one private address for every name', () => {
    expect(capturedBy(server({ 'a.example': ['10.0.0.1'], 'b.example': ['10.0.0.1'] }))).toBeUndefined();
    expect(capturedBy(server({ 'a.example': ['10.0.0.1'], 'b.example': ['10.0.0.1'] }, null))).toBe('10.0.0.1');
    expect(capturedBy(server({ 'a.example': ['10.0.0.1'] }, ['10.0.0.1']))).toBe('10.0.0.1');
  });

  it('is none with public addresses, several of them, a filter’s placeholder, or one name alone', () => {
    expect(capturedBy(server({ 'a.example': ['203.0.113.1'] }, ['203.0.113.1']))).toBeUndefined();
    expect(capturedBy(server({ 'a.example': ['10.0.0.1'], 'b.example': ['10.0.0.2'] }, null))).toBeUndefined();
    expect(capturedBy(server({ 'a.example': ['127.0.0.1'] }, ['127.0.0.1']))).toBeUndefined();
    expect(capturedBy(server({ 'a.example': ['10.0.0.1'] }, null))).toBeUndefined();
  });
});
