import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Policy } from '@svc/contracts/policy';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isOutputLost } from './cli/unread-output.ts';
import { type AgentProcess, startAgent } from './testing/agent-process.ts';
import { type ControlPlane, startControlPlane } from './testing/control-plane.ts';
import { type WatchingFace, watchAgent } from './testing/face.ts';

let plane: ControlPlane;
let stateDir: string;
let agent: AgentProcess | undefined;
let face: WatchingFace | undefined;
beforeEach(async () => {
  [plane, stateDir] = await Promise.all([startControlPlane(), mkdtemp(join(tmpdir(), 'svc-consent-'))]);
});
afterEach(async () => {
  face?.close();
  face = undefined;
  agent?.child.kill('SIGKILL');
  await agent?.exited;
  await plane.close();
  await rm(stateDir, { recursive: true, force: true });
});

const QUICK = {
  SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '1',
  SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '1',
  SVC_ENDPOINT_SESSION_INTERVAL_SECONDS: '5',
  SVC_AGENT_SITE: 'Lyon',
  SVC_AGENT_OWNER_EMAIL: 'ada@example.org',
};
const start = (...args: string[]): AgentProcess => {
  agent = startAgent({
    args: ['run', '--enroll-stdin', '--server', plane.url, ...args],
    stateDir,
    input: `${plane.token}\n`,
    env: QUICK,
  });
  return agent;
};
async function stop(): Promise<void> {
  face?.close();
  agent?.child.kill('SIGTERM');
  expect(await agent?.exited).toBe(0);
}
const ask = async (...args: string[]) => {
  const { exited, text } = startAgent({ args, stateDir });
  return { code: await exited, text: text() };
};
const policyOf = (change: object, version: number) =>
  plane.say({ policy_json: JSON.stringify(Policy.parse({ version, ...change })) });
const wait = { timeout: 30_000, interval: 50 };
const lastStatus = () => plane.statuses.at(-1);

describe('consent', { timeout: 120_000 }, () => {
  it('counts nothing as shown that is printed where nobody reads, and keeps it in a file', async () => {
    const unread = start('--unattended');
    face = await watchAgent(stateDir);
    await vi.waitFor(() => expect(lastStatus()).toMatchObject({ disclosure: 'not_shown', device_name: '' }), wait);
    const path = join(stateDir, 'agent.log');
    const log = await readFile(path, 'utf8');
    expect(log).toMatch(/^\d{4}-\d\d-\d\dT.*Z /);
    expect(log).toContain('Never collected');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect([unread.text(), plane.received]).toEqual(['', []]);
    await face.call('disclosure', {});
    await face.call('answerDisclosure', { answer: 'shown' });
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(0), wait);
    await stop();
    // The same where the output leads nowhere; a file is somebody's to read.
    const lost = openSync('/dev/null', 'w');
    const file = openSync(path, 'r');
    expect([isOutputLost(lost), isOutputLost(file), isOutputLost(9999)]).toEqual([true, false, true]);
    for (const descriptor of [lost, file]) closeSync(descriptor);
  });

  it('measures and names nothing before a window showed it, and shows again what a policy adds', async () => {
    start('--window');
    face = await watchAgent(stateDir);
    await vi.waitFor(
      () => expect(lastStatus()).toMatchObject({ disclosure: 'not_shown', device_name: '', disclosure_shown_at: '' }),
      wait,
    );
    for (const name of ['device_name', 'site', 'owner_email']) expect(plane.enrolments[0]).not.toHaveProperty(name);
    expect(lastStatus()).toMatchObject({ site: '', owner_email: '' });
    await sleep(2500);
    expect(plane.received).toEqual([]);
    await expect(face.call('testNow', {})).rejects.toMatchObject({ code: 'refused' });

    await face.call('disclosure', {});
    expect(await face.call('answerDisclosure', { answer: 'shown' })).toEqual({ disclosure: 'shown' });
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(3), wait);
    expect(lastStatus()).toMatchObject({ disclosure: 'shown', face: 'window' });
    expect(lastStatus()?.device_name).not.toBe('');
    // Told late, and once: IT may change both.
    const labelled = plane.statuses.filter((told) => told.site !== '');
    expect(labelled).toMatchObject([{ site: 'Lyon', owner_email: 'ada@example.org', disclosure: 'shown' }]);

    const target = `${plane.url}/asked-for`;
    policyOf({ sessionTargets: [target], sessionIntervalSeconds: 5 }, 2);
    await vi.waitFor(() => expect(face?.states.at(-1)?.disclosure).toBe('not_shown'), wait);
    const seen = (): boolean => plane.received.some((one) => one.attributes['url.full'] === target);
    const count = plane.received.length;
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(count + 3), wait);
    expect(seen()).toBe(false);
    const more = await face.call('disclosure', {});
    expect(more.items.find((one) => one.item === 'session')?.targets).toContain(target);
    expect(more.added).toEqual([{ item: 'session', targets: [target], everySeconds: 5, wasEverySeconds: null }]);
    // An answer is to what was shown, whatever policy has come to ask for since.
    const later = `${plane.url}/asked-for-later`;
    policyOf({ sessionTargets: [target, later], sessionIntervalSeconds: 5 }, 3);
    await vi.waitFor(async () => expect((await face?.call('disclosure', {}))?.policyVersion).toBe(3), wait);
    const words = { language: 'en', text: `Your IT added something\n${target}\n\nMeasure this too` };
    await expect(face.call('answerDisclosure', { answer: 'shown', of: 'never shown' })).rejects.toMatchObject({
      code: 'refused',
    });
    const answered = await face.call('answerDisclosure', { answer: 'shown', of: more.id, words });
    expect(answered).toEqual({ disclosure: 'not_shown' });
    const kept = JSON.parse(await readFile(join(stateDir, 'consent.json'), 'utf8'));
    const sha256 = createHash('sha256').update(words.text).digest('hex');
    expect(kept.record.at(-1)).toMatchObject({ answer: 'shown', ...words, sha256 });
    expect(kept.scope.sessionTargets).toEqual([target]);
    policyOf({ sessionTargets: [target], sessionIntervalSeconds: 5 }, 4);
    await vi.waitFor(() => expect(seen()).toBe(true), wait);
    // Written anew without anything more: nobody is asked again.
    policyOf({ sessionTargets: [target], sessionIntervalSeconds: 5 }, 5);
    await vi.waitFor(() => expect(lastStatus()?.policy_version).toBe(5), wait);
    expect(lastStatus()?.disclosure).toBe('shown');
  });

  it('counts the printed banner as shown, waits for an acceptance where policy asks for it, and respects a decline', async () => {
    const { text } = start();
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(2), wait);
    policyOf({ mustAccept: true }, 2);
    await vi.waitFor(() => expect(lastStatus()?.policy_version).toBe(2), wait);
    await sleep(1000);
    const count = plane.received.length;
    await sleep(2500);
    expect(plane.received.length).toBe(count);
    expect((await ask('consent', 'accept')).text).toContain('Accepted');
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(count), wait);
    expect(lastStatus()).toMatchObject({ disclosure: 'accepted', state: 'running' });

    expect((await ask('consent', 'decline')).text).toContain('Declined');
    await vi.waitFor(
      () => expect(lastStatus()).toMatchObject({ state: 'declined', disclosure: 'declined', device_name: '' }),
      wait,
    );
    await sleep(1000);
    const declined = plane.received.length;
    await stop();
    start();
    await vi.waitFor(() => expect(agent?.text()).toContain('Connected'), wait);
    await sleep(2500);
    expect(plane.received.length).toBe(declined);
    expect(lastStatus()?.state).toBe('declined');
    await ask('consent', 'accept');
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(declined), wait);
    expect(text()).toContain('Never collected');
  });

  it('keeps a pause over a restart, bounds it by policy, and ends it by the command line', async () => {
    start();
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(2), wait);
    policyOf({ maxPauseMinutes: 30 }, 2);
    await vi.waitFor(() => expect(lastStatus()?.policy_version).toBe(2), wait);
    const refused = await ask('pause', '31');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.text).toContain('30 minutes at most');
    expect((await ask('pause', '30')).text).toMatch(/Paused until (\d{4}-\d\d-\d\d )?\d\d:\d\d/);
    await vi.waitFor(() => expect(lastStatus()?.state).toBe('paused'), wait);
    const until = lastStatus()?.paused_until_ms ?? 0;
    await stop();
    const count = plane.received.length;
    start();
    await vi.waitFor(() => expect(agent?.text()).toContain('Connected'), wait);
    await sleep(1500);
    expect(lastStatus()?.state).toBe('paused');
    expect(Math.abs((lastStatus()?.paused_until_ms ?? 0) - until)).toBeLessThan(3000);
    // A policy that allows less shortens it.
    policyOf({ maxPauseMinutes: 15 }, 3);
    await vi.waitFor(() => expect(lastStatus()?.paused_until_ms).toBeLessThan(until - 14 * 60_000), wait);
    expect(plane.received.length).toBe(count);
    expect((await ask('resume')).text).toContain('Measuring again');
    await vi.waitFor(() => expect(plane.received.length).toBeGreaterThan(count), wait);
  });

  it('keeps back what the person switched off, from the next result and status on', async () => {
    start();
    face = await watchAgent(stateDir);
    await vi.waitFor(() => expect(lastStatus()?.device_name).toBeTruthy(), wait);
    const view = await face.call('switchItem', { item: 'deviceName', on: false });
    expect(view.items.find((one) => one.item === 'deviceName')).toMatchObject({ on: false, decidedBy: 'you', yours: true });
    await vi.waitFor(() => expect(lastStatus()?.device_name).toBe(''), wait);
    await stop();
    start();
    face = await watchAgent(stateDir);
    await vi.waitFor(() => expect(lastStatus()?.disclosure).toBe('shown'), wait);
    expect(lastStatus()?.device_name).toBe('');
    await expect(face.call('switchItem', { item: 'publicHops', on: true })).rejects.toMatchObject({ code: 'refused' });
    await face.call('switchItem', { item: 'deviceName', on: true });
    await vi.waitFor(() => expect(lastStatus()?.device_name).toBeTruthy(), wait);
    expect(lastStatus()?.disclosure).toBe('shown');
  });
});

it('says that no agent runs', async () => {
  const { code, text } = await ask('resume');
  expect(code).toBe(1);
  expect(text).toContain(`No agent runs on ${stateDir}`);
});
