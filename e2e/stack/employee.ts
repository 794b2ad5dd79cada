import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { IPC_CALLS, type IpcCall } from '@svc/contracts/agent/ipc';
import { WINDOW_CALLS } from '@svc/contracts/agent/window-ipc';
import { connectToService, type ServiceClient } from '@svc/desktop-agent/face-client';
import { cleanEnv, root } from '../env.ts';

const agentProgram = join(root, 'desktop-agent', 'dist', 'svc-agent.mjs');
const svcProgram = join(root, 'server', 'dist', 'svc.js');
const windowFolder = join(root, 'desktop-agent', 'dist', 'app', 'renderer');
const ORIGIN = 'https://window.test';
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2' };
const QUICK = { WIFI: '2', GATEWAY: '2', PATH: '10', SESSION: '10' };

export interface Employee {
  client: ServiceClient;
  /** Opens the agent's own window in a page: its real renderer, over this service. */
  openWindow(page: Page): Promise<void>;
  stop(): Promise<void>;
}

function run(args: readonly string[], stateDir: string): ChildProcess {
  const intervals = Object.entries(QUICK).map(([what, seconds]) => [`SVC_ENDPOINT_${what}_INTERVAL_SECONDS`, seconds]);
  return spawn(process.execPath, ['--no-deprecation', agentProgram, ...args], {
    env: cleanEnv({ SVC_AGENT_STATE_DIR: stateDir, ...Object.fromEntries(intervals) }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function connectSoon(stateDir: string, service: ChildProcess): Promise<ServiceClient> {
  for (;;) {
    try {
      return await connectToService(stateDir, 'window');
    } catch (error) {
      if (service.exitCode !== null) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Calls of a page, as main hands them on: only what the contract lists, each answer parsed. */
async function answer(client: ServiceClient, name: string, input: unknown): Promise<unknown> {
  if (name === 'open') {
    const state = await client.call('watch', {});
    return WINDOW_CALLS.open.output.parse({
      service: { reachable: true, state },
      settings: { language: 'en', theme: 'light', startAtLogin: null },
      desktop: { platform: 'linux', languages: ['en-GB'], tray: true, keyStore: 'file' },
      page: null,
      update: null,
    });
  }
  if (!(name in IPC_CALLS)) throw new Error(`${name} is no call of the service`);
  return { ok: true, output: await client.call(name as IpcCall, input as never) };
}

/** Runs in the page before its own code: stands where the preload's bridge stands. */
function installBridge(): void {
  const listeners = new Map<string, Set<(value: unknown) => void>>();
  const outer = globalThis as unknown as {
    askMain(name: string, input: unknown): Promise<unknown>;
    tell(event: string, value: unknown): void;
    agent: object;
  };
  outer.tell = (event, value) => {
    for (const listener of listeners.get(event) ?? []) listener(value);
  };
  outer.agent = {
    open: () => outer.askMain('open', {}),
    call: (name: string, input: unknown) => outer.askMain(name, input),
    on(event: string, listener: (value: unknown) => void) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
      return () => listeners.get(event)?.delete(listener);
    },
  };
}

/** An employee's machine: an agent enrolled at this product that waits for its window, on a state directory of its own. */
export async function startEmployee({ server, dataDir }: { server: string; dataDir: string }): Promise<Employee> {
  const create = ['enroll-token', 'create', '--tenant', 'default', '--uses', '1', '--quiet'];
  const { stdout } = await promisify(execFile)(process.execPath, [svcProgram, ...create], {
    env: cleanEnv({ SVC_DATA_DIR: dataDir }),
  });
  const token = stdout.trim();
  const stateDir = mkdtempSync(join(tmpdir(), 'svc-employee-'));
  const enrolling = run(['enroll', '--server', server, '--token', token], stateDir);
  const [code] = await once(enrolling, 'exit');
  if (code !== 0) throw new Error(`enrolling ended with ${code}`);
  const service = run(['run', '--window'], stateDir);
  const ended = once(service, 'exit');
  const client = await connectSoon(stateDir, service);
  return {
    client,
    async openWindow(page) {
      await page.route(`${ORIGIN}/**`, async (route) => {
        const file = new URL(route.request().url()).pathname.slice(1) || 'index.html';
        await route.fulfill({
          body: readFileSync(join(windowFolder, file)),
          contentType: TYPES[extname(file)] ?? 'text/html',
        });
      });
      await page.exposeFunction('askMain', (name: string, input: unknown) => answer(client, name, input));
      await page.addInitScript(installBridge);
      client.on('state', (state) => {
        const link = { reachable: true, state };
        page
          .evaluate((value) => (globalThis as unknown as { tell(e: string, v: unknown): void }).tell('service', value), link)
          // The page may be gone before the last state.
          .catch(() => {});
      });
      await page.goto(`${ORIGIN}/`);
    },
    async stop() {
      client.close();
      service.kill('SIGTERM');
      await ended;
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
