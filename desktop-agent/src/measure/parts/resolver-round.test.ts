import type { ResolverRequest } from '@svc/probes/resolver';
import { describe, expect, it } from 'vitest';
import { resolver } from '../../testing/readings.ts';
import type { ProbeSet } from '../probe-set.ts';
import { measureResolverRound, namesToAsk } from './resolver-round.ts';

const round = {
  servers: ['192.168.1.1', '203.0.113.53'],
  urls: ['https://crm.example/', 'https://crm.example/api', 'http://wiki.example:8080/'],
  otherwise: 'localhost',
  signal: new AbortController().signal,
};

describe('a round of resolvers', () => {
  it('asks each server for the hosts of the sessions and for a name that cannot exist, and compares them', async () => {
    const asked: ResolverRequest[] = [];
    const measured = await measureResolverRound(
      {
        measureResolver: async (request: ResolverRequest) => {
          asked.push(request);
          const isFirst = request.server === '192.168.1.1';
          return resolver({
            server: request.server,
            ...(isFirst ? { answers: [{ name: 'crm.example', code: 'NXDOMAIN', addresses: [] }] } : {}),
          });
        },
      } as unknown as ProbeSet,
      round,
    );
    expect(asked.map(({ server }) => server)).toEqual(round.servers);
    for (const one of asked) expect(one).toMatchObject({ names: ['crm.example', 'wiki.example'], count: 3, asksInvalid: true });
    expect(measured.map(({ server, lies }) => [server, lies])).toEqual([
      ['192.168.1.1', 'nxdomain'],
      ['203.0.113.53', null],
    ]);
  });

  it('leaves out addresses, this machine’s names, and what a proxy looks up for it', async () => {
    const urls = [
      'https://203.0.113.9/',
      'https://[2001:db8::1]/',
      'https://localhost:8443/',
      'http://printer.local/',
      ...round.urls,
    ];
    const proxyFor = async (url: string) => (url.includes('crm') ? 'http://proxy:3128' : null);
    expect(await namesToAsk({ ...round, urls, proxyFor })).toEqual(['wiki.example']);
    expect(await namesToAsk({ ...round, urls: urls.slice(0, 4) })).toEqual(['localhost']);
  });

  it('asks for eight names at most', async () => {
    const urls = Array.from({ length: 20 }, (_, n) => `https://host${n}.example/`);
    expect(await namesToAsk({ ...round, urls })).toHaveLength(8);
  });
});
