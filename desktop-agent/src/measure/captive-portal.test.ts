import type { ResolverMeasurement } from '@svc/probes/resolver';
import type { SessionMeasurement } from '@svc/probes/session';
import { expect, it } from 'vitest';
import { createCaptivePortal } from './captive-portal.ts';

const answer = { addresses: ['10.9.9.9'] };
const captured = { answers: [answer, answer], invalidAddresses: ['10.9.9.9'] } as unknown as ResolverMeasurement;
const failed = { url: 'https://crm.example/', success: false, error: 'ECONNREFUSED' } as SessionMeasurement;

it('carries nothing of what the resolvers of a former network answered into the next one', () => {
  const portal = createCaptivePortal(
    () => 1000,
    () => 60_000,
  );
  portal.noteResolvers([captured]);
  portal.note(failed);
  expect(portal.isSuspected()).toBe(true);
  portal.forget();
  portal.note(failed);
  expect(portal.isSuspected()).toBe(false);
  portal.noteResolvers([captured]);
  expect(portal.isSuspected()).toBe(true);
});
