import { Change } from '@svc/contracts/changes/change';
import { expect, it } from 'vitest';
import { HOOKS, planChanges, planRefused } from './change-plan.js';
import { CHECKOUT_DOWN, isDown, MAIL_DOWN } from './targets.js';
import { stretchAt } from './visits.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = Date.UTC(2026, 10, 24, 14, 31, 7);
interface Told {
  hook: string;
  atMs: number;
  key: string;
  event?: string;
  body: {
    repository: { name: string };
    deployment_status?: { state: string; environment_url: string };
    deployment_id?: number;
    kind?: string;
    target?: string;
  };
}
const plan = (fromMs: number, toMs: number) => planChanges({ fromMs, toMs, nowMs: NOW }) as unknown as Told[];
const day = plan(NOW - 24 * HOUR, NOW);

const deployments = (told: readonly Told[]) =>
  told.filter(({ event, hook }) => hook === 'github' && event?.startsWith('deployment'));

it('tells of a deploy less than a minute before each time that the checkout or the mail is down, and of none later', () => {
  const checkout = deployments(day).filter(
    ({ body }) => body.repository.name === 'checkout' && body.deployment_status?.state === 'success',
  );
  expect(checkout.length).toBeGreaterThanOrEqual(11);
  for (const { atMs, body } of checkout) {
    expect([isDown(atMs, CHECKOUT_DOWN), isDown(atMs + MINUTE, CHECKOUT_DOWN)]).toEqual([false, true]);
    expect(body.deployment_status?.environment_url).toBe('http://checkout.localhost/');
  }
  const mail = day.filter(({ hook }) => hook === 'gitlab');
  expect(new Set(mail.map(({ body }) => body.deployment_id)).size).toBe(16);
  for (const { atMs } of mail) expect([isDown(atMs, MAIL_DOWN), isDown(atMs + MINUTE, MAIL_DOWN)]).toEqual([false, true]);
});

it('tells of a change before tests of the payments begin to fail, and before its users alone are hurt', () => {
  const pay = day.filter(({ body }) => /pay\.localhost/.test(body.target ?? ''));
  expect(new Set(pay.map(({ body }) => body.kind))).toEqual(new Set(['config', 'release']));
  for (const { atMs, body } of pay) {
    const of = (at: number) => stretchAt(at)?.[body.kind === 'config' ? 'testsFail' : 'usersHurt'];
    expect([of(atMs), of(atMs + MINUTE)]).toEqual([false, true]);
  }
});

it('is the same whoever asks, piece by piece or at once, and each is told of once', () => {
  const pieces = Array.from({ length: 24 * 4 }, (_, quarter) => NOW - (24 * 4 - quarter) * 15 * MINUTE).flatMap((fromMs) =>
    plan(fromMs, fromMs + 15 * MINUTE),
  );
  expect(pieces.map(({ key }) => key)).toEqual(day.map(({ key }) => key));
  expect(pieces).toEqual(day);
  expect(new Set(day.map(({ key, body }) => `${key} ${JSON.stringify(body)}`)).size).toBe(day.length);
});

it('has decoys of every kind, and few enough for a person to look through', () => {
  const kinds = day.flatMap(({ hook, event, body }) =>
    hook === 'calendar' ? [body].flat().flatMap(({ kind }: { kind?: string }) => kind ?? []) : [event],
  );
  expect(new Set(kinds)).toEqual(
    new Set(['deployment', 'deployment_status', 'push', 'workflow_run', 'Deployment Hook', 'config', 'release', 'route', 'iac']),
  );
  const known = new Set<string>(Change.shape.kind.options);
  expect(kinds.filter((kind) => known.has(kind ?? '')).length).toBeGreaterThan(40);
  expect(day.length).toBeLessThan(500);
});

it('lets a former build server be refused, signed wrongly and not at all, and a webhook wait for its first delivery', () => {
  const refused = planRefused({ fromMs: NOW - 2 * HOUR, toMs: NOW });
  expect(new Set(refused.map(({ isSigned }) => isSigned))).toEqual(new Set([true, false]));
  expect(new Set([...day, ...refused].map(({ hook }) => hook))).toEqual(
    new Set(Object.keys(HOOKS).filter((hook) => hook !== 'dealers')),
  );
});
