import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { CallBackTarget } from '@svc/testkit/providers/call-back';
import { type Connector, type Kind, newCredentials, type Running, startAllProviders } from '@svc/testkit/providers/demo/all';
import { keepTls, type Tls } from '@svc/testkit/providers/demo/authority';
import { root } from '../env.ts';
import { running } from './running.ts';

/** Where they are, which the product of the tests may call. */
export const PROVIDERS_ALLOW = '127.0.0.1:1-65535';

/** Their certificate; the product trusts its authority from its start. */
export const providersTls = (): Promise<Tls> => keepTls(join(root, 'test-results', 'providers'));

export interface Providers {
  all: Running;
  connectors: readonly Connector[];
  /** Incidents about a host are told to all of them from now on, and they tell of what people do there. */
  connect(page: Page, host: string): Promise<void>;
  /** Takes back what `connect` made, and ends them. */
  stop(page: Page): Promise<void>;
}

interface Made {
  id: string;
  /** Of an inbound webhook. */
  webhook?: { id: string; address: string };
}

async function make(page: Page, path: string, data: object): Promise<Made> {
  const { url } = running();
  const answer = await page.request.post(`${url}/v1/notify/${path}`, { headers: { origin: url }, data });
  expect(answer.status(), `${path}: ${await answer.text()}`).toBe(201);
  return (await answer.json()) as Made;
}

/** All providers of the demo, on loopback, in this process. */
export async function startProviders(): Promise<Providers> {
  const targets = new Map<Kind, CallBackTarget>();
  const made: string[] = [];
  const credentials = newCredentials();
  const { running: all, connectors } = await startAllProviders({
    ...{ tls: await providersTls(), ports: {}, credentials },
    callBackOf: (kind) => targets.get(kind),
  });
  const keep = async (page: Page, path: string, data: object): Promise<Made> => {
    const answer = await make(page, path, data);
    made.push(`${path}/${(answer.webhook ?? answer).id}`);
    return answer;
  };

  async function connect(page: Page, host: string): Promise<void> {
    const any = { severity: 'info', planes: [], sites: [], schedule: null, delay_seconds: 0, quiet: null, connectors: [] };
    // Before the connectors: without a rule each would be told of what other files break.
    await keep(page, 'rules', { ...any, name: `About ${host}`, targets: [`*${host}*`] });
    const ca = readFileSync(join(running().dataDir, 'tls', 'ca.crt'), 'utf8');
    const secret = credentials.callBackSecret;
    for (const { provider, name, values, callsBack } of connectors) {
      const { id } = await keep(page, 'connectors', { provider, name, values });
      if (!callsBack) continue;
      const { webhook } = await keep(page, 'inbound', { provider, name, connector: id, secret });
      if (webhook) targets.set(provider, { url: webhook.address, secret, ca });
    }
  }

  async function stop(page: Page): Promise<void> {
    const { url } = running();
    for (const path of made.toReversed()) await page.request.delete(`${url}/v1/notify/${path}`, { headers: { origin: url } });
    for (const provider of Object.values(all)) await provider.close();
  }
  return { all, connectors, connect, stop };
}
