import { afterAll, beforeAll, expect, it } from 'vitest';
import { enroll } from '../identity/enroll.ts';
import type { Credentials } from '../identity/identity.ts';
import { type ControlPlane, startControlPlane } from '../testing/control-plane.ts';
import { loadLine } from './load-line.ts';

let plane: ControlPlane;
let credentials: Credentials;
beforeAll(async () => {
  plane = await startControlPlane();
  credentials = await enroll({ server: plane.url, token: plane.token, facts: { agent_version: '0.1.0' } });
});
afterAll(() => plane.close());

const request = (signal = new AbortController().signal) => ({ credentials, bytes: 500_000, idleMs: 400, loadMs: 2000, signal });

it('carries so many bytes each way, and knows the round trip without load', async () => {
  const view = await loadLine(request());
  expect(view).toMatchObject({ fault: null, upload: { bytes: 500_000 }, download: { bytes: 500_000 } });
  expect(view.idleMs).toBeGreaterThan(0);
  expect(view.idleMs).toBeLessThan(1000);
});

it('says that it may not, or that the control plane offers none', async () => {
  plane.faults = { refuse: { code: 'rate_limited', status: 8 } };
  expect(await loadLine(request())).toMatchObject({ fault: 'too_often', upload: null, download: null });
  plane.faults = { noLinkTest: true };
  await plane.stopListening();
  await plane.listen();
  expect(await loadLine(request())).toMatchObject({ fault: 'not_offered' });
  plane.faults = {};
  await plane.stopListening();
  expect(await loadLine(request())).toMatchObject({ fault: 'failed' });
  await plane.listen();
});

it('ends at once when aborted', async () => {
  const control = new AbortController();
  const reason = new Error('paused');
  const running = loadLine(request(control.signal));
  setTimeout(() => control.abort(reason), 100);
  await expect(running).rejects.toThrow();
});
