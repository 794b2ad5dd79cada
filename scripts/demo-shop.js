// The simulated shop of npm run demo: where it sends to, and its process.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from './env.js';
import { startChild } from './processes.js';

const main = join(root, 'simulator', 'src', 'shop', 'main.ts');
const authorityOf = (dataDir) => join(dataDir, 'tls', 'ca.crt');

/** Where a running server receives OTLP over HTTPS: its own answer, for it may run with settings that are not ours. */
async function findReceiver(runSvc, { tenant, server, dataDir }) {
  const token = await runSvc([
    'token',
    'create',
    '--tenant',
    tenant,
    '--role',
    'viewer',
    '--name',
    'demo start',
    '--expires',
    '10m',
  ]);
  const headers = { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const call = request(new URL('/v1/otlp/status', server), { ca: readFileSync(authorityOf(dataDir)), headers }, (answer) => {
      text(answer)
        .then((body) => JSON.parse(body).listeners?.find(({ transport }) => transport === 'http')?.address ?? undefined)
        .then(resolve, reject);
    });
    call.once('error', reject);
    call.end();
  });
}

/**
 * What the shop needs to send: undefined where OTLP is not received, as when another program has the port.
 * @param {(args: string[]) => Promise<string>} runSvc
 * @param {{ tenant: string, server: string, dataDir: string, address: string | null | undefined }} where `address` as the server told
 *   at its start; undefined for a server that ran before.
 */
export async function prepareShop(runSvc, where) {
  const address = where.address === undefined ? await findReceiver(runSvc, where) : where.address;
  if (!address) return undefined;
  const named = ['--tenant', where.tenant, '--name', 'simulated shop', '--expires', '30d'];
  return { endpoint: `https://${address}`, token: await runSvc(['otlp-token', 'create', ...named]) };
}

/** Starts it; it says `shop-ready` when its past is delivered. */
export function startShop(node, { endpoint, token }, { dataDir, tenant, hours, seed }) {
  const state = join(dataDir, tenant, 'shop.json');
  const options = ['--hours', hours, '--seed', seed, '--state', state, '--ca', authorityOf(dataDir), '--live'];
  // On standard input, so that the token stands in no argument list.
  const started = startChild(node, [main, '--endpoint', endpoint, '--token-file', '-', ...options], { stdin: 'pipe' });
  started.child.stdin.on('error', () => {});
  started.child.stdin.end(`${token}\n`);
  return started;
}
