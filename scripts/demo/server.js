// What the demo asks of a running server over REST, as any program with a token would.
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** @param {string} dataDir */
export const authorityOf = (dataDir) => join(dataDir, 'tls', 'ca.crt');

/**
 * A token of the demo's tenant that outlives the demo's start by little.
 * @param {(args: string[]) => Promise<string>} runSvc
 * @param {{ tenant: string, role: string }} of
 */
export const createStartToken = (runSvc, { tenant, role }) =>
  runSvc(['token', 'create', '--tenant', tenant, '--role', role, '--name', 'demo start', '--expires', '10m']);

/**
 * Status and decoded answer of one call.
 * @param {{ server: string, dataDir: string, token: string }} at
 * @param {{ method?: string, path: string, body?: unknown }} call
 * @returns {Promise<{ status: number | undefined, body: any }>}
 */
export function callServer({ server, dataDir, token }, { method = 'GET', path, body }) {
  const ca = readFileSync(authorityOf(dataDir));
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const call = request(new URL(path, server), { method, ca, headers }, (answer) => {
      text(answer)
        .then((content) => ({ status: answer.statusCode, body: JSON.parse(content) }))
        .then(resolve, reject);
    });
    call.once('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/**
 * Names in the tenant's policy what its devices measure to; a policy that somebody has saved stays as it is.
 * @param {{ server: string, dataDir: string, token: string }} at
 * @param {{ traceTargets: string[], sessionTargets: string[] }} targets
 */
export async function nameTargets(at, { traceTargets, sessionTargets }) {
  const path = '/v1/agent-policy';
  const { status: read, body } = await callServer(at, { path });
  if (read === 200 && body.policy.version > 0) return;
  const { version, ...policy } = body.policy ?? {};
  const change = { policy: { ...policy, traceTargets, sessionTargets }, expected_version: 0 };
  const { status } = await callServer(at, { method: 'PUT', path, body: change });
  // 409: somebody saved one in this very moment.
  if (status !== 200 && status !== 409) throw new Error(`The demo's policy could not be saved: the server answered ${status}.`);
}
