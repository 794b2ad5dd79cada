import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import type http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { createCertificateSet } from '@svc/testkit/netlab/certificates';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { lacksOf } from '../synthetic/lacks-of.ts';
import { createServers } from '../synthetic/testing/servers.ts';
import { startChromium } from './chromium.ts';
import { processesOf } from './process-group.ts';
import { needsNamespace } from './profile-folder.ts';
import { browse, CHROMIUM, hasChromium, leftBehind } from './testing/left-behind.ts';

const servers = createServers();
afterAll(() => servers.close());
afterEach(() => expect(leftBehind()).toEqual({ folders: [], processes: [] }));

const html =
  (body: string): http.RequestListener =>
  (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>x</title>${body}`);

describe.skipIf(!hasChromium)('certificates in a browser', () => {
  it("are checked against the test's own authority, and told with their facts", async () => {
    const { ca, pairs } = await createCertificateSet({ dns: ['localhost'], ip: ['127.0.0.1'] });
    const serve = async (kind: keyof typeof pairs): Promise<string> =>
      (await servers.https(pairs[kind], html('<h1>safe</h1><script>document.title = isSecureContext</script>'))).replace(
        '127.0.0.1',
        'localhost',
      );
    const url = await serve('valid');
    const tls = { ca_pem: ca };
    const good = await browse(url, {
      tls,
      screenshot: 'never',
      steps: [{ do: 'expect_text', text: 'safe' }],
      assertions: { certificate_days: 2 },
    });
    expect(good.error).toBeUndefined();
    expect(good).toMatchObject({ success: true, certificate: { trusted: true, name_matches: true } });
    expect(good.phases.tls).toBeGreaterThan(0);
    expect(await browse(url)).toMatchObject({
      fault: 'certificate',
      error: expect.stringContaining('ERR_CERT_AUTHORITY_INVALID'),
    });
    expect(await browse(await serve('expired'), { tls })).toMatchObject({
      fault: 'certificate',
      error: expect.stringContaining('it expired on'),
    });
    const accepted = await browse(await serve('other_name'), { tls: { ...tls, accept_invalid: true }, screenshot: 'never' });
    expect(accepted).toMatchObject({ success: true, certificate: { name_matches: false } });
  });
});

describe.skipIf(!hasChromium)('a secret in a browser', () => {
  it('goes to its host only, and is in nothing that is told', async () => {
    const VALUE = 'gX7!tr"ee&y';
    const form = html(`<form action="/in"><label>Word <input name=w></label><button>Go</button></form><p id=o></p>
      <script>const w = new URLSearchParams(location.search).get('w'); if (w) { document.querySelector('#o').textContent = 'hello ' + w; console.error(w); fetch('/no?' + encodeURIComponent(w)); }</script>`);
    const url = (
      await servers.http((request, response) =>
        request.url?.startsWith('/no') ? response.writeHead(404).end() : form(request, response),
      )
    ).replace('127.0.0.1', 'localhost');
    const resolveSecret = (name: string, host: string): string => {
      if (host !== 'localhost') throw new Error(`The secret ${name} may not be sent to ${host}.`);
      return VALUE;
    };
    const steps = [
      { do: 'fill', on: { label: 'Word' }, value: `$\{secret:word}` },
      { do: 'click', on: { text: 'Go' } },
      { do: 'expect_text', text: 'hello' },
      { do: 'expect_url', matches: 'nowhere', timeout_ms: 200 },
    ] as const;
    const measured = await browse(url, { steps: [...steps] }, { tools: { resolveSecret } });
    expect(measured).toMatchObject({ fault: 'step', error: expect.stringContaining('Step 4') });
    const told = JSON.stringify(measured);
    for (const form of [VALUE, encodeURIComponent(VALUE), 'gX7']) expect(told).not.toContain(form);
    expect(measured.evidence?.console_errors?.join()).toContain('[secret word]');
    expect(measured.evidence?.screenshot?.length).toBeGreaterThan(1000);
    const foreign = await browse(url.replace('localhost', '127.0.0.1'), { steps: [...steps] }, { tools: { resolveSecret } });
    expect(foreign).toMatchObject({ fault: 'secret', error: 'The secret word may not be sent to 127.0.0.1.' });
  });
});

describe.skipIf(!hasChromium)('a page that shows a secret', () => {
  const VALUE = 'gX7treey';
  /** Shows what it was given in a text, in attributes, as a label and as the name of a button. */
  const mirror = html(`<form action="/in"><label>Word <input name=w></label><button>Go</button></form><div id=o></div>
    <script>const w = new URLSearchParams(location.search).get('w'); if (w) document.querySelector('#o').innerHTML =
    '<p title="' + w + '">welcome ' + w + '</p><input id=again value="' + w + '"><label>' + w + '<input></label><button>' + w + '</button>'</script>`);
  const ask = async (step: object) => {
    const url = (await servers.http(mirror)).replace('127.0.0.1', 'localhost');
    const steps = [
      { do: 'fill', on: { label: 'Word' }, value: `$\{secret:word}` },
      { do: 'click', on: { role: 'button', name: 'Go' } },
      { do: 'expect_text', text: 'welcome', on: { css: '#o p' } },
      { timeout_ms: 700, ...step },
    ] as never;
    return await browse(url, { steps, screenshot: 'never' }, { tools: { resolveSecret: () => VALUE } });
  };

  it.each([
    ['a selector of a beginning', { do: 'wait', for: { css: `input[value^="${VALUE.slice(0, 1)}"]` } }],
    ['a selector of a text', { do: 'wait', for: { css: `p:has-text("${VALUE.slice(0, 3)}")` } }],
    ['a chain', { do: 'wait', for: { css: `p >> text=${VALUE.slice(0, 3)}` } }],
    ['a text', { do: 'wait', for: { text: VALUE.slice(0, 3) } }],
    ['a label', { do: 'fill', on: { label: VALUE.slice(0, 3) }, value: 'x' }],
    ['a name', { do: 'click', on: { role: 'button', name: VALUE.slice(0, 3) } }],
    ['a role that is a chain', { do: 'wait', for: { role: `button >> text=${VALUE.slice(0, 2)}` } }],
    ['what it expects to read', { do: 'expect_text', text: `welcome ${VALUE.slice(0, 3)}` }],
    ['what it expects to read somewhere', { do: 'expect_text', text: VALUE.slice(0, 3), on: { role: 'button' } }],
    ['the address', { do: 'expect_url', matches: `w=${VALUE.slice(0, 3)}` }],
  ])('does not tell of it to a test that asks for a part of it by %s', async (_, step) => {
    const measured = await ask(step);
    expect(measured.evidence?.steps?.map(({ passed }) => passed)).toEqual([true, true, true, false]);
    expect(JSON.stringify(measured)).not.toContain(VALUE);
  });

  it('is read by what the test may know of it', async () => {
    for (const step of [
      { do: 'wait', for: { text: 'welcome' } },
      { do: 'wait', for: { css: '#o > p' } },
      { do: 'expect_text', text: 'welcome [secret word]' },
      { do: 'fill', on: { css: '#again' }, value: 'x' },
    ])
      expect(await ask(step)).toMatchObject({ success: true });
  });
});

const stateOf = (pid: number, key: string): string =>
  new RegExp(`^${key}:\\s+(\\S+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';

describe.skipIf(!hasChromium || process.platform !== 'linux')('the sandbox', () => {
  it('is kept: what reads pages is in namespaces of its own and behind a filter of system calls', async () => {
    const signal = AbortSignal.timeout(60_000);
    const wish = {
      program: CHROMIUM,
      proxyPort: 9,
      viewport: { width: 320, height: 240 },
      acceptInvalid: false,
      signal,
      giveUp: () => undefined,
    };
    const chromium = await startChromium(wish);
    try {
      const lines = processesOf(chromium.pid, chromium.folder).map((pid) => ({
        pid,
        line: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '),
      }));
      expect(lines.filter(({ line }) => line.includes('--no-sandbox'))).toEqual([]);
      const renderers = lines.filter(({ line }) => line.includes('--type=renderer'));
      expect(renderers.length).toBeGreaterThan(0);
      for (const { pid } of renderers) {
        expect(stateOf(pid, 'Seccomp')).toBe('2');
        expect(readlinkSync(`/proc/${pid}/ns/user`)).not.toBe(readlinkSync('/proc/self/ns/user'));
        expect(readlinkSync(`/proc/${pid}/ns/net`)).not.toBe(readlinkSync('/proc/self/ns/net'));
      }
    } finally {
      await chromium.close();
    }
  });

  it('is named where there is none, and Chromium where it is not there; neither is started without', async () => {
    expect((await lacksOf({ chromium: CHROMIUM })).browser).toBeUndefined();
    expect((await lacksOf({ chromium: '/nonexistent/chromium' })).browser).toBe('no_chromium');
    expect((await lacksOf()).browser).toBe('no_chromium');
    if (!needsNamespace()) return;
    // A user namespace in which no further one can be made.
    const folder = mkdtempSync(path.join(os.tmpdir(), 'no-sandbox-'));
    const program = path.join(folder, 'chromium');
    const inner = `echo 1 > /proc/sys/user/max_user_namespaces; exec unshare --user --map-user=1000 --map-group=1000 ${CHROMIUM} "$@"`;
    writeFileSync(program, `#!/bin/sh\nexec unshare --user --map-root-user sh -c '${inner}' sh "$@"\n`);
    chmodSync(program, 0o755);
    const url = await servers.http(html(''));
    expect(await browse(url, {}, { tools: { chromium: program } })).toMatchObject({
      fault: 'not_capable',
      error: expect.stringContaining('no sandbox'),
    });
    expect((await lacksOf({ chromium: program })).browser).toBe('no_sandbox');
    rmSync(folder, { recursive: true });
  });
});

describe.skipIf(!hasChromium || process.platform !== 'linux')('a runner that is killed', () => {
  it('takes Chromium with it, and the next one removes what is left', async () => {
    const url = await servers.http(html('<h1>here</h1>'));
    const child = spawn(process.execPath, [path.join(import.meta.dirname, 'testing/run-child.ts'), url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    const prefix = `svc-browser-${child.pid}-`;
    expect(processesOf(-1, prefix).length).toBeGreaterThan(3);
    child.kill('SIGKILL');
    await expect.poll(() => processesOf(-1, prefix), { timeout: 10_000 }).toEqual([]);
    const { sweepProfileFolders } = await import('./profile-folder.ts');
    sweepProfileFolders();
    expect(readdirSync(os.tmpdir()).filter((name) => name.startsWith(prefix))).toEqual([]);
  });
});
