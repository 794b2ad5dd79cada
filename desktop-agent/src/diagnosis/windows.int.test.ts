import { startWindows, type WindowsMachine, windowsMissing } from '@svc/native/testing/windows-machine';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtAgent } from '../testing/agent-process.ts';
import type { Diagnosis } from './diagnosis.ts';

const missing = await windowsMissing();
if (missing) console.warn(`Windows does not run here: ${missing}`);

let windows: WindowsMachine;
beforeAll(async () => {
  if (!missing) windows = await startWindows();
});
afterAll(async () => {
  if (!missing) await windows.stop();
});

it.skipIf(missing)('the built agent diagnoses a Windows machine (wine)', async () => {
  const { code, output, words } = await windows.run(builtAgent, ['diagnose', '--json']);
  expect(`${code} ${words}`).toMatch(/^0 /);
  const diagnosis = JSON.parse(output) as Diagnosis;
  expect(diagnosis).toMatchObject({ version: 1, system: { platform: 'win32' } });
  expect(diagnosis.readings.filter((one) => one.detail.startsWith('failed'))).toEqual([]);
  const find = (name: string) => diagnosis.readings.find((one) => one.name === name);
  expect(find('path.ipv4.hops')).toMatchObject({ value: expect.any(Number), detail: expect.stringContaining('icmp') });
  expect(find('path.ipv6.hops')).toMatchObject({ unavailable: 'not_supported', detail: expect.stringMatching(/\w/) });
  expect(find('context.on_battery')?.value).toEqual(expect.any(Boolean));
  expect(find('context.metered')?.detail).toContain('INetworkCostManager');
  expect(find('resolvers')?.value).toEqual(expect.any(String));
});
