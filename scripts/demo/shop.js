// The simulated shop of npm run demo: where it sends to, and its process.
import { join } from 'node:path';
import { root } from '../env.js';
import { startChild } from '../processes.js';
import { authorityOf, callServer, createStartToken } from './server.js';

const main = join(root, 'simulator', 'src', 'shop', 'main.ts');

/** Where a running server receives OTLP over HTTPS: its own answer, for it may run with settings that are not ours. */
async function findReceiver(runSvc, { tenant, server, dataDir }) {
  const token = await createStartToken(runSvc, { tenant, role: 'viewer' });
  const { body } = await callServer({ server, dataDir, token }, { path: '/v1/otlp/status' });
  return body.listeners?.find(({ transport }) => transport === 'http')?.address ?? undefined;
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

/**
 * Why there is no shop, with what helps: the start notes a port that another program has.
 * @param {readonly string[] | undefined} notes
 */
export const whyNoShop = (notes = []) =>
  `${notes.find((note) => note.includes('SVC_OTLP_HTTP_ADDR')) ?? 'OTLP over HTTPS is not received here (SVC_OTLP_HTTP_ADDR).'} Without it the demo has no shop.`;

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
