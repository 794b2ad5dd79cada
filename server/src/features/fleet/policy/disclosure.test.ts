import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Policy } from '@svc/contracts/policy';
import { HOURLY_KEPT_MONTHS, RESULTS_KEPT_DAYS } from '@svc/contracts/retention';
import { describe, expect, it } from 'vitest';
import { describeCollection } from './disclosure.ts';
import { PICK_LIST } from './pick-list.ts';
import { ringOf } from './ring.ts';

const told = (policy: Policy) =>
  describeCollection(policy, {
    serverUrl: 'https://plane.example:8443',
    facts: { organisation: 'Example GmbH', readers: 3 },
    changedAt: '2026-01-02T03:04:05.000Z',
  });

describe('what people are told', () => {
  it('names every target, and nothing else that is contacted', () => {
    const policy = Policy.parse({ version: 3, traceTargets: ['192.0.2.1'], sessionTargets: ['https://crm.example'] });
    const { contacted, policy_version, withheld, items } = told(policy);
    expect(contacted.map(({ target }) => target)).toEqual(['192.0.2.1', 'https://crm.example']);
    expect(policy_version).toBe(3);
    expect(withheld).toEqual(['Addresses of external routers']);
    expect(items.find(({ item }) => item === 'session')).toMatchObject({
      on: true,
      decided_by: 'policy',
      targets: ['https://crm.example', 'https://plane.example:8443'],
    });
  });

  it('moves each thing that the policy switches off from collected to withheld', () => {
    const collect = { ssid: false, gatewayIp: false, deviceName: false, hostFacts: false, publicHops: false };
    const { withheld, collected, contacted, items } = told(Policy.parse({ version: 1, collect }));
    expect(withheld).toEqual([
      'Network name',
      'Internal addresses of gateway and path',
      'Name of this device',
      'Model, system and adapter',
      'Addresses of external routers',
    ]);
    expect(collected.map(({ what }) => what).join(' ')).not.toMatch(/Network name|addresses|Name of this|Model/);
    expect(items.find(({ item }) => item === 'ssid')).toMatchObject({ on: false, decided_by: 'policy' });
    // No device sends these by itself, whatever the policy allows.
    expect(items.find(({ item }) => item === 'publicHops')).toMatchObject({ on: false, decided_by: 'default' });
    expect(contacted).toEqual([]);
  });

  it('says who reads it, how long it is kept and what the person may do', () => {
    expect(told(Policy.parse({ mustAccept: true, maxPauseMinutes: 60 }))).toMatchObject({
      organisation: 'Example GmbH',
      readers: 3,
      kept_days: 30,
      must_accept: true,
      max_pause_minutes: 60,
    });
  });
});

it('results are kept for as long as people are told, by the column store itself', () => {
  const folder = join(import.meta.dirname, '../../../../../clickhouse/migrations');
  const sql = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const results = sql.find((text) => text.includes('CREATE TABLE IF NOT EXISTS results'));
  const hours = sql.find((text) => text.includes('CREATE TABLE IF NOT EXISTS sample_hours'));
  expect(results).toContain(`INTERVAL ${RESULTS_KEPT_DAYS} DAY DELETE`);
  expect(hours).toContain(`INTERVAL ${HOURLY_KEPT_MONTHS} MONTH DELETE`);
});

describe('the pick-list', () => {
  it('offers trace targets that a policy takes', () => {
    const traceTargets = PICK_LIST.map(({ target }) => target);
    expect(Policy.parse({ traceTargets }).traceTargets).toEqual(['1.1.1.1', '8.8.8.8', '9.9.9.9']);
  });
});

describe('rings', () => {
  it('are fixed by the id, about 5 and 20 of a hundred', () => {
    const rings = Array.from({ length: 4000 }, (_, n) => ringOf(`agent-${n}`));
    const share = (ring: string) => rings.filter((one) => one === ring).length / rings.length;
    expect(ringOf('agent-1')).toBe(ringOf('agent-1'));
    expect(share('canary')).toBeCloseTo(0.05, 1);
    expect(share('early')).toBeCloseTo(0.2, 1);
  });
});
