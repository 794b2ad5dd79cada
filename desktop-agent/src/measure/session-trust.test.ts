import tls, { type SecureContext } from 'node:tls';
import { createCertificates } from '@svc/testkit/netlab/certificates';
import { expect, it } from 'vitest';
import { AgentError } from '../agent-error.ts';
import type { RunChore } from '../chores/run-chore.ts';
import { createSessionTrust } from './session-trust.ts';

const DAY_MS = 86_400_000;
const certificates = await createCertificates({ dns: ['localhost'], ip: ['127.0.0.1'] });

/** Whether a client with this trust takes the server of `certificates`. */
async function takes(secureContext: SecureContext): Promise<boolean> {
  const server = tls.createServer({ cert: certificates.cert, key: certificates.key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const socket = tls.connect({ host: '127.0.0.1', port, servername: 'localhost', secureContext });
  const taken = await new Promise<boolean>((resolve) => {
    socket.once('secureConnect', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  return taken;
}

function reading(answer: () => Promise<string[]>) {
  let asked = 0;
  let nowMs = 0;
  const runChore = (() => {
    asked += 1;
    return answer();
  }) as unknown as RunChore;
  const trust = createSessionTrust(runChore, () => nowMs);
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { trust, pass, asked: () => asked };
}

it('trusts this device’s roots, read again after a day', async () => {
  const { trust, pass, asked } = reading(async () => [certificates.ca]);
  expect(await takes(await trust())).toBe(true);
  expect(await trust()).toBe(await trust());
  expect(asked()).toBe(1);
  pass(DAY_MS + 1);
  await trust();
  expect(asked()).toBe(2);
});

it('trusts a pinned authority alone, without reading any root', async () => {
  const other = await createCertificates({ dns: ['localhost'], ip: [] });
  const { trust, asked } = reading(async () => [certificates.ca]);
  expect(await takes(await trust(certificates.ca))).toBe(true);
  expect(await takes(await trust(other.ca))).toBe(false);
  expect(asked()).toBe(0);
});

it('falls back to Node’s own roots where the device’s cannot be read, and tries again', async () => {
  const { trust, asked } = reading(() => Promise.reject(new AgentError('internal', 'no child')));
  expect(await takes(await trust())).toBe(false);
  await trust();
  expect(asked()).toBe(2);
});
