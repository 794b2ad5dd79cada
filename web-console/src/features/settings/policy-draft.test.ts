import type { Policy } from '@svc/contracts/policy';
import { DEFAULT_THRESHOLDS } from '@svc/contracts/verdict';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api.ts';
import { draftFaults, draftOf, policyOf, targetFaults, targetsFault } from './policy-draft.ts';

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
  tellShared: true,
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
      '“crm.suite.example” is not an http or https address.',
      '1 to 3600',
      'a number',
      '15 to 10080',
    ]);
  });

  it('marks a host that the server would refuse, and says why', () => {
    expect(targetsFault('crm.example\nbücher.example', 'trace')).toBe(
      '“bücher.example” is an internationalized name: enter its ASCII form, xn--bcher-kva.example.',
    );
  });

  it('puts what the server refused at the list that holds it', () => {
    const refused = new ApiError('validation', 'Some targets are not valid.', {
      faults: [
        { path: 'policy.traceTargets.2', message: '“-v” is not a host name or an address.' },
        { path: 'policy.thresholds.ispLoss', message: 'Too big' },
      ],
    });
    expect(targetFaults(refused)).toEqual({ traceTargets: '“-v” is not a host name or an address.' });
    expect(targetFaults(new Error('Away'))).toEqual({});
  });
});
