// Who the demo's incidents are told to: a process on loopback that plays all providers, and the connectors that lead there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, setting } from '../env.js';
import { startChild, waitForMessage } from '../processes.js';
import { authorityOf, callServer } from './server.js';
import { LOOPBACK } from './targets.js';

const main = join(root, 'testkit', 'src', 'providers', 'demo', 'main.ts');

/**
 * Starts it; gives its page and what the control plane has to be started with to reach it.
 * @param {string} node
 * @param {{ dataDir: string, tenant: string }} where
 */
export async function startProviders(node, { dataDir, tenant }) {
  const started = startChild(node, [main, '--state', join(dataDir, tenant, 'providers')]);
  const { page, caFile, ports, connectors, secret, isMoved } = await waitForMessage(started, 'providers-ready');
  const env = {
    // These ports and no other: everything else on loopback stays closed to what tenants configure.
    SVC_OUTBOUND_ALLOW: [setting('SVC_OUTBOUND_ALLOW'), ...ports.map((port) => `${LOOPBACK}:${port}`)].filter(Boolean).join(','),
    SVC_OUTBOUND_CA_FILE: setting('SVC_OUTBOUND_CA_FILE') ?? caFile,
  };
  return { started, page, connectors, secret, isMoved, env };
}

/** Those of a list that are not there yet, by name. */
async function makeMissing(at, path, wanted) {
  const { status, body } = await callServer(at, { path });
  if (status !== 200) throw new Error(`${path} could not be read: the server answered ${status}.`);
  const known = body.items;
  for (const one of wanted) {
    if (known.some(({ name }) => name === one.name)) continue;
    const made = await callServer(at, { method: 'POST', path, body: one });
    if (made.status !== 201) throw new Error(`${one.name} could not be made: the server answered ${made.status}.`);
    known.push(made.body.webhook ?? made.body);
  }
  return known;
}

/**
 * Makes connectors and the way back; what a person changed of them stays. Then tells the providers where to call back.
 * @param {{ server: string, dataDir: string, token: string }} at
 */
export async function connectProviders(at, { started, connectors, secret, isMoved }) {
  const given = connectors.map(({ provider, name, values }) => ({ provider, name, values }));
  const made = await makeMissing(at, '/v1/notify/connectors', given);
  for (const { name, values } of isMoved ? given : []) {
    const { id } = made.find((one) => one.name === name);
    await callServer(at, { method: 'PUT', path: `/v1/notify/connectors/${id}/settings`, body: { values } });
  }
  const talking = connectors.filter(({ callsBack }) => callsBack);
  const wanted = talking.map(({ provider, name }) => ({
    ...{ provider, name, secret },
    connector: made.find((one) => one.name === name)?.id,
  }));
  const inbound = await makeMissing(at, '/v1/notify/inbound', wanted);
  const ca = readFileSync(authorityOf(at.dataDir), 'utf8');
  const targets = Object.fromEntries(
    talking.map(({ provider, name }) => [provider, { url: inbound.find((one) => one.name === name)?.address, secret, ca }]),
  );
  started.child.send({ type: 'call-back', targets });
  return connectors.length;
}
