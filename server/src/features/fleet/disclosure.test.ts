import { Policy } from '@svc/contracts/policy';
import { describe, expect, it } from 'vitest';
import { describeCollection } from './disclosure.ts';
import { PICK_LIST } from './pick-list.ts';
import { ringOf } from './ring.ts';

describe('what people are told', () => {
  it('names every target, and nothing else that is contacted', () => {
    const policy = Policy.parse({ version: 3, traceTargets: ['192.0.2.1'], sessionTargets: ['https://crm.example'] });
    const told = describeCollection(policy);
    expect(told.contacted.map(({ target }) => target)).toEqual(['192.0.2.1', 'https://crm.example']);
    expect(told.policy_version).toBe(3);
    expect(told.withheld).toEqual(['Public addresses on the path']);
  });

  it('moves each thing that the policy switches off from collected to withheld', () => {
    const collect = { ssid: false, gatewayIp: false, deviceName: false, hostFacts: false, publicHops: false };
    const told = describeCollection(Policy.parse({ collect }));
    expect(told.withheld).toHaveLength(5);
    const words = told.collected.map(({ what }) => what).join(' ');
    expect(words).not.toMatch(/network name|private address|device's name|Operating system/);
    expect(told.contacted).toEqual([]);
  });
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
