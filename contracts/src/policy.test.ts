import { expect, test } from 'vitest';
import { MAX_SESSION_URL, Policy, PolicyFromServer, policyAsKept } from './policy.ts';

const ofLength = (length: number): string => 'https://crm.example/'.padEnd(length, 'x');

test('a session target has at most 2048 characters', () => {
  expect(Policy.safeParse({ sessionTargets: [ofLength(MAX_SESSION_URL)] }).success).toBe(true);
  expect(Policy.safeParse({ sessionTargets: [ofLength(MAX_SESSION_URL + 1)] }).success).toBe(false);
});

test('a policy from before that bound goes on without its longer targets, in the database and from an older server', () => {
  const kept = { sessionTargets: [ofLength(5000), ofLength(30)], wifiIntervalSeconds: 30 };
  expect(policyAsKept(kept)).toMatchObject({ sessionTargets: [ofLength(30)], wifiIntervalSeconds: 30 });
  expect(PolicyFromServer.parse(kept)).toMatchObject({ sessionTargets: [ofLength(30)], wifiIntervalSeconds: 30 });
  expect(PolicyFromServer.safeParse({ sessionTargets: ['file:///etc/passwd'] }).success).toBe(false);
});
