// WebKitGTK's MiniBrowser, driven by WebKitWebDriver in a display of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver } from './engines.contract.ts';

const driver = '/usr/bin/WebKitWebDriver';
const display = '/usr/bin/Xvfb';
const browsers = globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser').sort();

export function webkitUnavailable(): string | undefined {
  if (!existsSync(driver) || browsers.length === 0) return 'no WebKitGTK: "apt-get install webkit2gtk-driver" has one';
  return existsSync(display) ? undefined : 'no Xvfb for WebKitGTK to draw in';
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A display under a number that nobody has, told by Xvfb itself. */
async function openDisplay(): Promise<{ name: string; close: () => Promise<void> }> {
  const child = spawn(display, ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [number] = (await once(child.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer];
  return {
    name: `:${String(number).trim()}`,
    close: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}

export async function startWebKit(): Promise<Driver> {
  const screen = await openDisplay();
  const port = await findPort();
  const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent', DISPLAY: screen.name, LANG: 'C.UTF-8', GDK_BACKEND: 'x11' };
  const child = spawn(driver, [`--port=${port}`, '--host=127.0.0.1'], { stdio: 'ignore', env });
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
    const { value } = (await response.json()) as { value: { error?: string; message?: string } | null };
    if (!response.ok) throw new Error(`${path}: ${value?.error}: ${value?.message}`);
    return value;
  };
  for (let tries = 0; tries < 100; tries++) {
    if (await call('GET', '/status').catch(() => false)) break;
    await sleep(100);
  }
  const options = { binary: browsers.at(-1), args: ['--automation'] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } };
  const { sessionId } = (await call('POST', '/session', { capabilities })) as { sessionId: string };
  const at = `/session/${sessionId}`;
  return {
    navigate: async (url) => void (await call('POST', `${at}/url`, { url })),
    back: async () => void (await call('POST', `${at}/back`, {})),
    evaluate: (expression) =>
      call('POST', `${at}/execute/async`, {
        script: `const done = arguments[0]; Promise.resolve(${expression}).then(done)`,
        args: [],
      }),
    click: async (selector) => {
      const element = await call('POST', `${at}/element`, { using: 'css selector', value: selector });
      await call('POST', `${at}/element/${Object.values(element as object)[0]}/click`, {});
    },
    close: async () => {
      await call('DELETE', at).catch(() => undefined);
      child.kill();
      await once(child, 'exit');
      await screen.close();
    },
  };
}
