import { Resolver } from 'node:dns/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_TYPES } from '@svc/contracts/tests/test-types';
import { readTest } from '@svc/contracts/tests/written-test';
import { expect, it } from 'vitest';
import { CHECKOUT_DOWN, isDown, MAIL_DOWN, startTargets } from './targets.js';
import { demoTests } from './tests.js';

const ports = { http: 4001, https: 4002, dns: 4003, tcp: 4004, udp: 4005 };

it('has a valid test of each type', () => {
  const read = demoTests({ ports, ca: '-----BEGIN CERTIFICATE-----' }).map(readTest);
  expect(read.filter((one) => 'faults' in one)).toEqual([]);
  expect(new Set(read.map((one) => ('type' in one ? one.type : undefined)))).toEqual(new Set(TEST_TYPES));
});

it('has no test over TLS where there is no certificate to serve', () => {
  const { https: _, ...plain } = ports;
  expect(demoTests({ ports: plain }).map(({ type }) => type)).not.toContain('https');
});

it('has a host of its own for each thing that fails, so that each is an incident', () => {
  const hosts = demoTests({ ports })
    .filter(({ name }) => ['Checkout', 'Mail', 'Interface of a partner'].includes(name))
    .map(({ target }) => new URL(target.includes('//') ? target : `tcp://${target}`).hostname);
  expect(hosts).toEqual(['checkout.localhost', 'partner.localhost', 'mail.localhost']);
});

it.each([CHECKOUT_DOWN, MAIL_DOWN])('is down for $of of every $every minutes', (schedule) => {
  const minutes = Array.from({ length: schedule.every }, (_, minute) => isDown(minute * 60_000, schedule));
  expect(minutes.filter(Boolean)).toHaveLength(schedule.of);
});

it('answers a name and a page on loopback, and has its ports again when it is started again', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-demo-'));
  try {
    const first = await startTargets({ dataDir, tenant: 'demo' });
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${first.ports.dns}`]);
    expect(await resolver.resolve4('shop.fennmark.test')).toEqual(['127.0.0.1']);
    const answer = await fetch(`http://127.0.0.1:${first.ports.http}/`);
    expect(await answer.text()).toContain('Open for orders');
    first.stop();
    const second = await startTargets({ dataDir, tenant: 'demo' });
    second.stop();
    expect(second.ports).toEqual(first.ports);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
