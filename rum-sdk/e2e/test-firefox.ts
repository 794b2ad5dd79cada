// A Firefox driven by WebDriver BiDi, over the WebSocket that it opens itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Driver } from './engines.contract.ts';
import { connect, findAddress } from './test-remote.ts';

const program = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path));

export const firefoxUnavailable = (): string | undefined =>
  program ? undefined : 'no Firefox: "apt-get install firefox-esr" has one';

/** Nothing but loopback is reached, whatever Firefox would like to ask its makers. */
const PREFERENCES = {
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
  'network.proxy.no_proxies_on': 'localhost, 127.0.0.1',
  'network.proxy.allow_hijacking_localhost': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'app.update.auto': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'services.settings.server': 'http://127.0.0.1:9',
  'browser.startup.page': 0,
  'browser.shell.checkDefaultBrowser': false,
  'privacy.donottrackheader.enabled': false,
  'privacy.globalprivacycontrol.enabled': false,
};

export async function startFirefox(): Promise<Driver> {
  const profile = mkdtempSync(join(tmpdir(), 'svc-firefox-'));
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join(''));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'];
  const child = spawn(program ?? 'firefox', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const { call, close } = await connect(`${await findAddress(child)}/session`);
  await call('session.new', { capabilities: {} });
  const tree = (await call('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const context = tree.contexts[0]?.context;
  const evaluate = async (expression: string): Promise<unknown> => {
    const { type, result, exceptionDetails } = (await call('script.evaluate', {
      expression,
      target: { context },
      awaitPromise: true,
      userActivation: false,
    })) as { type: string; result?: { value?: unknown }; exceptionDetails?: { text: string } };
    if (type === 'exception') throw new Error(exceptionDetails?.text);
    return result?.value;
  };
  return {
    navigate: async (url) => void (await call('browsingContext.navigate', { context, url, wait: 'complete' })),
    back: async () => void (await call('browsingContext.traverseHistory', { context, delta: -1 })),
    evaluate,
    click: async (selector) => {
      const place = JSON.parse(
        String(
          await evaluate(
            `(() => { const { x, y, width, height } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect(); return JSON.stringify([Math.round(x + width / 2), Math.round(y + height / 2)]) })()`,
          ),
        ),
      ) as [number, number];
      const actions = [
        { type: 'pointerMove', x: place[0], y: place[1] },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      await call('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions }] });
    },
    close: async () => {
      await call('browser.close', {}).catch(() => undefined);
      close();
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
