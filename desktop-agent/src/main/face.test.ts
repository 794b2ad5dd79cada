import type { ServiceState } from '@svc/contracts/agent/ipc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeElectron } from '../testing/fake-electron.ts';
import { createFakeProcess, createFakeService, type FakeProcess, type FakeService } from '../testing/fake-service.ts';
import { serviceStateOf } from '../testing/service-state.ts';
import { type FaceApp, type FaceDeps, startFace } from './face.ts';
import type { SettingsStore } from './face-settings.ts';

let fake: ReturnType<typeof createFakeElectron>;
let face: FaceApp | undefined;
let listening: FakeService | undefined;
let started: FakeProcess[];
let hasTray: (has: boolean) => void;

beforeEach(() => {
  vi.useFakeTimers();
  fake = createFakeElectron();
  started = [];
  listening = undefined;
});
afterEach(async () => {
  const stopping = face?.stop();
  await vi.advanceTimersByTimeAsync(20_000);
  await stopping;
  vi.useRealTimers();
});

function createSettings(): SettingsStore {
  let settings = { language: 'en', theme: 'system', startAtLogin: false } as ReturnType<SettingsStore['current']>;
  let told = false;
  return {
    current: () => settings,
    async change(change) {
      settings = { ...settings, ...change };
      return settings;
    },
    tellNoTray() {
      const first = !told;
      told = true;
      return first;
    },
  };
}

function start(over: Partial<FaceDeps> = {}): FaceApp {
  face = startFace({
    electron: fake.electron,
    folder: '/face',
    partition: 'face',
    platform: 'linux',
    desktop: 'XFCE',
    settings: createSettings(),
    connect: async () => {
      if (!listening) throw new Error('nobody listens');
      return listening.client;
    },
    start() {
      const made = createFakeProcess();
      started.push(made);
      return made;
    },
    mayQuit: true,
    watchTray(onChange) {
      hasTray = onChange;
      return { close: () => undefined };
    },
    restartForUpdate: () => undefined,
    networkName: { mayAsk: () => false, ask: () => undefined },
    log: () => undefined,
    ...over,
  });
  return face;
}

const run = async (state: Partial<ServiceState> = {}, over: Partial<FaceDeps> = {}): Promise<FakeService> => {
  listening = createFakeService(serviceStateOf(state));
  start(over);
  await vi.advanceTimersByTimeAsync(10);
  return listening;
};
const labels = (): (string | undefined)[] => (fake.trays.at(-1)?.menu ?? []).map(({ label }) => label);
const item = (label: string) => fake.trays.at(-1)?.menu.find((one) => one.label === label);
function choose(label: string): void {
  const click = item(label)?.click as (() => void) | undefined;
  if (!click) throw new Error(`The menu has no "${label}".`);
  click();
}

describe('the face', () => {
  it('opens its window by itself on the first start only, and tells the service of its desktop', async () => {
    const service = await run({ disclosure: 'not_shown' });
    expect(fake.windows).toHaveLength(1);
    expect(service.calls.find(({ call }) => call === 'note')?.input).toEqual({
      kind: 'window',
      onBattery: false,
      power: null,
      tray: true,
      language: 'en',
    });
    fake.windows[0]?.close();
    service.emit('state', serviceStateOf({ disclosure: 'not_shown', waiting: 1 }));
    expect(fake.windows).toHaveLength(1);
  });

  it('opens it again when a policy wants more than was shown', async () => {
    const service = await run({ disclosure: 'not_shown' });
    fake.windows[0]?.close();
    service.emit('state', serviceStateOf({ disclosure: 'shown' }));
    service.emit('state', serviceStateOf({ disclosure: 'not_shown' }));
    expect(fake.windows).toHaveLength(2);
  });

  it('stays without a window where everything was shown', async () => {
    await run();
    expect(fake.windows).toEqual([]);
    expect(fake.trays[0]?.image).toBe('/face/icons/tray-pending-light-22.png');
  });

  it('says in the tray that the service ended, beside it only if that lasts, and when it is back', async () => {
    const service = await run();
    listening = undefined;
    service.end();
    await vi.advanceTimersByTimeAsync(10);
    expect(fake.trays[0]?.tooltip).toContain('The measurement service is not responding');
    expect(fake.trays[0]?.image).toContain('tray-gone');
    expect(item('Test now')?.enabled).toBe(false);
    expect(fake.notices).toEqual([]);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(fake.notices.map(({ title }) => title)).toEqual(['Measurement stopped']);
    listening = createFakeService(serviceStateOf());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fake.notices.map(({ title }) => title)).toEqual(['Measurement stopped', 'Measuring again']);
    expect(fake.trays[0]?.tooltip).not.toContain('does not answer');
  });

  it('keeps quiet about a restart that takes a moment', async () => {
    const service = await run();
    listening = createFakeService(serviceStateOf());
    service.end();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(fake.notices).toEqual([]);
  });

  it('tells once that there is no tray, and puts its icon up anew when one comes', async () => {
    const settings = createSettings();
    const service = await run({}, { settings });
    hasTray(false);
    await vi.advanceTimersByTimeAsync(16_000);
    expect(fake.notices.map(({ title }) => title)).toEqual(['No tray on this desktop']);
    expect(service.calls.filter(({ call }) => call === 'note').at(-1)?.input).toMatchObject({ tray: false });
    hasTray(true);
    expect(fake.trays.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    await face?.stop();
    fake = createFakeElectron();
    await run({}, { settings });
    hasTray(false);
    await vi.advanceTimersByTimeAsync(16_000);
    expect(fake.notices).toEqual([]);
  });

  it('pauses, resumes and tests by its menu, and puts it up anew only when it reads otherwise', async () => {
    const service = await run();
    const before = fake.trays[0]?.menus;
    service.emit('state', serviceStateOf({ waiting: 1 }));
    expect(fake.trays[0]?.menus).toBe(before);
    const pauses = item('Pause')?.submenu as { label: string; click(): void }[];
    expect(pauses.map(({ label }) => label)).toEqual(['For 15 minutes', 'For 1 hour', 'Until tomorrow']);
    pauses[0]?.click();
    service.emit('state', serviceStateOf({ state: 'paused', pausedUntilMs: Date.now() + 900_000 }));
    expect(labels()).toContain('Resume');
    choose('Resume');
    service.emit('state', serviceStateOf());
    choose('Test now');
    expect(service.calls.filter(({ call }) => call === 'pause' || call === 'testNow')).toEqual([
      { call: 'pause', input: { minutes: 15 } },
      { call: 'pause', input: { minutes: 0 } },
      { call: 'testNow', input: {} },
    ]);
    expect(fake.windows).toHaveLength(1);
  });

  it('brings the one window back instead of a second', async () => {
    const service = await run();
    choose('What was sent');
    choose('About');
    expect(fake.windows).toHaveLength(1);
    expect(fake.windows[0]?.webContents.sent).toContainEqual({ event: 'openPage', value: 'about' });
    fake.windows[0]?.webContents.emit('render-process-gone');
    choose('Open');
    expect(fake.windows).toHaveLength(2);
    expect(service.calls.some(({ call }) => call === 'testNow')).toBe(false);
  });

  it('answers for a proxy, and tells of sleep and battery', async () => {
    const service = await run();
    service.emit('proxyWanted', { ask: 4, url: 'https://crm.example/' });
    fake.powerMonitor.emit('suspend');
    fake.powerMonitor.emit('resume');
    await vi.advanceTimersByTimeAsync(1);
    expect(service.calls).toContainEqual({
      call: 'proxyFound',
      input: { ask: 4, proxy: 'PROXY proxy.example:3128; for https://crm.example/' },
    });
    const powers = service.calls.filter(({ call }) => call === 'note').map(({ input }) => (input as { power: unknown }).power);
    expect(powers).toEqual([null, 'suspend', 'resume']);
  });

  it('offers no way out where whoever manages the device wants it to stay', async () => {
    await run({}, { mayQuit: false });
    expect(labels()).not.toContain('Quit');
  });

  it('asks once for a permission that only the person can give', async () => {
    const service = await run({ missingPermissions: ['location'] });
    service.emit('state', serviceStateOf({ missingPermissions: ['location'], waiting: 1 }));
    expect(fake.notices.map(({ title, body }) => `${title}: ${body}`)).toEqual([
      'A permission is missing: Wi-Fi cannot be read: the system asks for location permission.',
    ]);
  });

  it('tells once of a version that waits', async () => {
    await run();
    face?.update({ version: '1.5.0', how: 'tell' });
    face?.update({ version: '1.5.0', how: 'tell' });
    expect(fake.notices.map(({ title, body }) => `${title}: ${body}`)).toEqual([
      'Version 1.5.0 is ready: Your IT team will install it.',
    ]);
  });
});
