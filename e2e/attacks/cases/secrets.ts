import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { get, newInstallation, serveAlone, stopServer } from '../../faults/server-process.ts';
import { ask } from '../harness/ask.ts';
import { attack } from '../harness/attack.ts';
import { openBrowser, signIn } from '../harness/browser.ts';
import { endInstallation, type Ground, METRICS_TOKEN, ownAddress } from '../harness/ground.ts';

/** Larger files are data: what stands there is not text. */
const MOST_BYTES = 64 * 1024 * 1024;

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function findInFiles(folder: string, secrets: Readonly<Record<string, string>>): string[] {
  const found: string[] = [];
  for (const path of filesBelow(folder)) {
    try {
      if (statSync(path).size > MOST_BYTES) continue;
      const bytes = readFileSync(path);
      for (const [kind, secret] of Object.entries(secrets))
        if (bytes.includes(secret)) found.push(`${kind} in ${path.slice(folder.length)}`);
    } catch {
      // Gone in the meantime.
    }
  }
  return found;
}

/** Command line and environment of the server and of everything below it. */
function processTexts({ installation }: Ground): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return command.includes(installation.dataDir) || command.includes('server/dist') ? [command] : [];
      } catch {
        return [];
      }
    });
}

attack({
  name: 'no secret stands in the log, in the data or in the list of processes',
  surfaces: ['POST /auth/claim', 'POST /auth/logout'],
  cost: 'short',
  async run(ground) {
    const link = (await ground.svc('admin-link', '--tenant', ground.hostile.tenant)).split('\n')[0] ?? '';
    const claim = new URL(link).searchParams.get('token') ?? '';
    await ground.api(`/auth/claim?token=${encodeURIComponent(claim)}`);
    const enrol = JSON.parse(
      (await ground.api('/v1/enrol-tokens', { token: ground.hostile.tokens.admin, json: { uses: 1 } })).body,
    ) as { token: string };
    const { admin } = ground.victim;
    await signIn(openBrowser(ground.doors.https, ownAddress()), admin);
    await ground.api('/v1/me', { token: ground.victim.tokens.admin });
    await ask(ground.doors.https, `/nothing?password=x`, { headers: { cookie: admin.browser.cookiesFor('/') } });
    const session = admin.browser.cookiesFor('/').split('=')[1] ?? '';
    const secrets = {
      ...{ claim, enrol: enrol.token.split('.')[0] ?? '', password: admin.password, session, metrics: METRICS_TOKEN },
      ...{ api: ground.victim.tokens.admin, otlp: ground.victim.otlpToken },
    };
    const log = ground.server.output();
    const logged = Object.entries(secrets).filter(([, secret]) => secret !== '' && log.includes(secret));
    const listed = processTexts(ground).flatMap((text) =>
      Object.entries(secrets).filter(([, secret]) => secret !== '' && text.includes(secret)),
    );
    expect({ logged, listed, inData: findInFiles(ground.installation.dataDir, secrets) }).toEqual({
      logged: [],
      listed: [],
      inData: [],
    });
  },
});

attack({
  name: 'a start of `svc serve` logs neither a link that makes an administrator nor a token that enrols devices',
  surfaces: ['POST /auth/claim', 'POST /agent/v1/enroll'],
  cost: 'short',
  async run() {
    const installation = await newInstallation();
    // As an operator starts it: nobody but the log is told.
    const server = await serveAlone(installation);
    try {
      await expect
        .poll(async () => (await get(installation, '/readyz').catch(() => ({ status: 0 }))).status, { timeout: 40_000 })
        .toBe(200);
      // What it prints for its operator comes a moment after it is ready.
      await stopServer(server);
      const secrets = [/\/auth\/claim\?token=[\w-]{16,}/, /svc_enr_[\w-]{16,}/, /svc_pat_[\w-]{16,}/, /svc_otlp_[\w-]{16,}/];
      expect(secrets.filter((secret) => secret.test(server.output())).map(String)).toEqual([]);
    } finally {
      await endInstallation(installation, server);
    }
  },
});

attack({
  name: 'the metrics of all tenants are for the scraper alone',
  surfaces: ['GET /metrics'],
  cost: 'short',
  async run(ground) {
    const statuses: number[] = [];
    for (const token of [undefined, 'wrong', ground.hostile.tokens.admin, ground.hostile.otlpToken])
      statuses.push((await ground.api('/metrics', token === undefined ? {} : { token })).status);
    expect(statuses).toEqual([401, 401, 401, 401]);
    expect((await ground.api('/metrics', { token: METRICS_TOKEN })).status).toBe(200);
  },
});

attack({
  name: 'a session that was signed out is nobody, and no other origin signs it out',
  surfaces: ['POST /auth/logout'],
  cost: 'short',
  async run(ground) {
    const browser = openBrowser(ground.doors.https, ownAddress());
    await signIn(browser, ground.victim.admin);
    const cookie = browser.cookiesFor('/v1/me');
    const forged = await ground.api('/auth/logout', {
      method: 'POST',
      form: {},
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    });
    expect({ forged: forged.status, alive: (await ground.api('/v1/me', { headers: { cookie } })).status }).toEqual({
      forged: 403,
      alive: 200,
    });
    await browser.visit('/auth/logout', { form: {} });
    expect((await ground.api('/v1/me', { headers: { cookie } })).status).toBe(401);
  },
});
