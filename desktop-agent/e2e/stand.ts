import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { _electron, type ElectronApplication, expect, type Page } from '@playwright/test';
import { startTrayDesktop, type TrayDesktop, type TrayDesktopOptions } from '@svc/testkit/tray-desktop';
import { DEFAULT_POLICY } from '../src/settings.ts';
import { type ControlPlane, startControlPlane } from '../src/testing/control-plane.ts';
import { builtAgent, watchedFace } from './build.ts';
import { electronProgram } from './env.ts';

export interface StandOptions extends TrayDesktopOptions {
  /** False: a device that belongs to nobody. */
  enrolled?: boolean;
  /** Started as at login: without a window. */
  hidden?: boolean;
  env?: Record<string, string>;
}

/** A desktop, a control plane, an enrolled device, and the face on a real Electron that starts its own service. */
export interface Stand {
  desktop: TrayDesktop;
  controlPlane: ControlPlane;
  app: ElectronApplication;
  stateDir: string;
  env: Record<string, string>;
  /** Sends a policy that calls nothing slow: this machine's gateway may have others to answer. */
  calm(policy?: Partial<typeof DEFAULT_POLICY>): Promise<void>;
  /** The window; waits until it is there. */
  window(): Promise<Page>;
  /** Labels of the tray's menu as it is now, items that cannot be chosen in brackets. */
  menu(): Promise<string[]>;
  tooltip(): Promise<string>;
  /** Chooses an item of the tray's menu by its label, as a click on it does. */
  choose(...path: string[]): Promise<void>;
  /** Closes the window, and waits until its renderer is gone. */
  closeWindow(): Promise<void>;
  /** Starts the face once more, as its launcher does; gives the exit code. */
  startAgain(): Promise<number | null>;
  /** Process ids of the services that this face started. */
  services(): number[];
  stop(): Promise<void>;
}

/** Quick cadences, so that a test need not wait a minute for what a person would. */
const QUICK = {
  SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: '3',
  SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: '3',
  SVC_ENDPOINT_PATH_INTERVAL_SECONDS: '10',
  SVC_ENDPOINT_SESSION_INTERVAL_SECONDS: '10',
  // A path to draw that leads nowhere else.
  SVC_ENDPOINT_TRACE_TARGETS: '127.0.0.1',
} as const;

const NOTHING_IS_SLOW = {
  ...DEFAULT_POLICY.thresholds,
  gatewayRttMs: 60_000,
  gatewayLoss: 1,
  ispRttMs: 60_000,
  ispLoss: 1,
  sessionTotalMs: 60_000,
};

/** As root Chromium has no sandbox; a test of its own runs it as another user. */
const rootArgs = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** What the tray was given last, as the watched face keeps it. */
type Seen = { seenTray: { menu: Electron.Menu | null; tooltip: string } };

async function openWindow(app: ElectronApplication): Promise<Page> {
  await expect.poll(() => app.windows().length).toBeGreaterThan(0);
  const page = app.windows().at(-1);
  if (!page) throw new Error('no window');
  await page.waitForLoadState();
  return page;
}

const servicesOf = (stateDir: string): number[] =>
  spawnSync('pgrep', ['-f', 'svc-agent.mjs run --window'], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line !== '')
    .map(Number)
    .filter((pid) => spawnSync('grep', ['-zqx', `SVC_AGENT_STATE_DIR=${stateDir}`, `/proc/${pid}/environ`]).status === 0);

export async function startStand({
  enrolled = true,
  hidden = false,
  env: extra = {},
  ...look
}: StandOptions = {}): Promise<Stand> {
  const [desktop, controlPlane] = await Promise.all([startTrayDesktop(look), startControlPlane()]);
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-face-'));
  const env = { ...desktop.env, ...QUICK, SVC_AGENT_STATE_DIR: stateDir, SVC_TEST_NODE: process.execPath, ...extra };
  if (enrolled)
    await promisify(execFile)(
      process.execPath,
      [builtAgent, 'enroll', '--server', controlPlane.url, '--token', controlPlane.token],
      { env },
    );
  const args = [...rootArgs, '--disable-gpu', watchedFace, ...(hidden ? ['--hidden'] : [])];
  const app = await _electron.launch({ executablePath: electronProgram, args, env, colorScheme: null });
  return {
    desktop,
    controlPlane,
    app,
    stateDir,
    env,
    async calm(policy = {}) {
      await expect.poll(() => controlPlane.statuses.length, { timeout: 30_000 }).toBeGreaterThan(0);
      controlPlane.say({
        policy_json: JSON.stringify({ ...DEFAULT_POLICY, version: 2, thresholds: NOTHING_IS_SLOW, ...policy }),
      });
    },
    window: () => openWindow(app),
    menu: () =>
      app.evaluate(() =>
        ((globalThis as unknown as Seen).seenTray.menu?.items ?? [])
          .filter(({ type }) => type !== 'separator')
          .map(({ label, enabled }) => (enabled ? label : `(${label})`)),
      ),
    tooltip: () => app.evaluate(() => (globalThis as unknown as Seen).seenTray.tooltip),
    choose: (...path) =>
      app.evaluate((_electronModule, labels) => {
        let items = (globalThis as unknown as Seen).seenTray.menu?.items ?? [];
        for (const [depth, label] of labels.entries()) {
          const item = items.find((one) => one.label === label);
          if (!item) throw new Error(`The menu has no "${label}".`);
          if (depth === labels.length - 1) item.click();
          else items = item.submenu?.items ?? [];
        }
      }, path),
    async closeWindow() {
      await app.evaluate(({ BrowserWindow }) => {
        for (const one of BrowserWindow.getAllWindows()) one.close();
      });
      await expect.poll(() => app.windows().length).toBe(0);
    },
    startAgain: () =>
      new Promise((resolve) => {
        spawn(electronProgram, args, { env, stdio: 'ignore' }).once('exit', resolve);
      }),
    services: () => servicesOf(stateDir),
    async stop() {
      await app.close();
      await Promise.all([desktop.stop(), controlPlane.close()]);
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
