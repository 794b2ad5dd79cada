import type { Policy } from '@svc/contracts/policy';
import { DEFAULT_THRESHOLDS } from '@svc/contracts/verdict';
import { describe, expect, it } from 'vitest';
import { draftFaults, draftOf, policyOf } from './policy-draft.ts';

const policy: Policy = {
  version: 3,
  traceTargets: ['crm.suite.example', '2001:db8::1'],
  sessionTargets: ['https://crm.suite.example/'],
  wifiIntervalSeconds: 60,
  gatewayIntervalSeconds: 60,
  pathIntervalSeconds: 300,
  sessionIntervalSeconds: 300,
  collect: { ssid: true, gatewayIp: true, deviceName: true, hostFacts: true, publicHops: false },
  thresholds: { ...DEFAULT_THRESHOLDS },
  maxPauseMinutes: 480,
  mustAccept: true,
};

describe('the policy form', () => {
  it('gives back what it was given', () => {
    const { version: _, ...rest } = policy;
    expect(draftFaults(draftOf(policy))).toEqual([]);
    expect(policyOf(draftOf(policy))).toEqual(rest);
  });

  it('shows ratios as percent and takes a true minus', () => {
    const draft = draftOf(policy);
    expect(draft.thresholds.gatewayLoss).toBe('2');
    draft.thresholds.wifiRssiDbm = '−70';
    draft.thresholds.ispLoss = '0.5';
    expect(policyOf(draft).thresholds).toMatchObject({ wifiRssiDbm: -70, ispLoss: 0.005 });
  });

  it('names every fault before anything is sent', () => {
    const draft = draftOf(policy);
    draft.traceTargets = Array.from({ length: 9 }, (_, index) => `h${index}.example`).join('\n');
    draft.sessionTargets = 'crm.suite.example';
    draft.intervals.wifiIntervalSeconds = '0';
    draft.thresholds.gatewayRttMs = 'slow';
    draft.maxPauseMinutes = '5';
    expect(draftFaults(draft)).toEqual([
      'at most 8',
      '“crm.suite.example” is no http or https address',
      '1 to 3600',
      'a number',
      '15 to 10080',
    ]);
  });
});
