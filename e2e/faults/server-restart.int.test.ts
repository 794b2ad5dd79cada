import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { enrolDevice, type Sender, startSender } from './senders.ts';
import {
  cleanUp,
  findLeftovers,
  get,
  type Installation,
  makeApiToken,
  makeEnrolToken,
  newInstallation,
  postmasterOf,
  type RunningServer,
  startServer,
  stopServer,
} from './server-process.ts';
import { waitForShown } from './shown-results.ts';

const HOUR_MS = 3_600_000;

let installation: Installation;
let server: RunningServer;
let enrolToken: string;
let token: string;
const senders: Sender[] = [];
beforeAll(async () => {
  installation = await newInstallation();
  server = await startServer(installation);
  enrolToken = await makeEnrolToken(installation, 3);
  token = await makeApiToken(installation);
});
afterAll(async () => {
  await Promise.all(senders.map((sender) => sender.stop()));
  await stopServer(server);
  await cleanUp(installation);
});

async function addSender(name: string, clockAheadMs = 0): Promise<Sender> {
  const sender = startSender({ credentials: await enrolDevice(server.url, enrolToken, name), clockAheadMs });
  senders.push(sender);
  return sender;
}

/** A TLS connection on which a request is written in parts; `answer` resolves with everything that came back until its end. */
async function openByHand(): Promise<{ socket: TLSSocket; answer: Promise<string> }> {
  const ca = readFileSync(join(installation.dataDir, 'tls', 'ca.crt'));
  const socket = connectTls({ host: '127.0.0.1', port: installation.http, servername: 'localhost', ca });
  let text = '';
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', () => resolve(text));
  });
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  return { socket, answer };
}

test('a device whose clock is an hour ahead is shown at the time of receipt, never in the future', async () => {
  const sender = await addSender('ahead', HOUR_MS);
  const from = Date.now();
  await sender.add(20);
  await vi.waitFor(() => expect(sender.acknowledged.size).toBe(20), { timeout: 20_000 });
  const shown = await waitForShown({ installation, token, agentId: sender.agentId }, 20);
  expect(sender.rejected()).toBe(0);
  expect(new Set(shown.map((one) => one.result_id))).toEqual(sender.spooled);
  for (const { started_at } of shown) {
    expect(Date.parse(started_at)).toBeGreaterThanOrEqual(from - 1000);
    expect(Date.parse(started_at)).toBeLessThanOrEqual(Date.now());
  }
});

test('plaintext gets no service, neither at the console and API nor at the agents listener', async () => {
  for (const port of [installation.http, installation.grpc]) {
    const outcome = await new Promise<string>((resolve) => {
      const outgoing = plainRequest({ host: '127.0.0.1', port, path: '/healthz', timeout: 10_000 }, (incoming) =>
        resolve(`status ${incoming.statusCode}`),
      );
      outgoing.on('error', () => resolve('dropped'));
      outgoing.on('timeout', () => outgoing.destroy());
      outgoing.end();
    });
    expect(outcome).toBe('dropped');
    // Plain HTTP/2, as a gRPC client without TLS begins it.
    const bytes = await new Promise<Buffer>((resolve) => {
      const parts: Buffer[] = [];
      const socket = connectTcp(port, '127.0.0.1', () => {
        socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0');
      });
      socket.setTimeout(10_000, () => socket.destroy());
      socket.on('data', (chunk: Buffer) => parts.push(chunk));
      socket.on('error', () => {});
      socket.on('close', () => resolve(Buffer.concat(parts)));
    });
    // Nothing, or a TLS alert; no byte of HTTP and no frame.
    expect(bytes.length === 0 || bytes[0] === 0x15).toBe(true);
  }
  expect((await get(installation, '/healthz')).status).toBe(200);
});

test('a stop in the midst of it: not ready at once, what was accepted finishes, nothing is left, everything is found again', async () => {
  const flowing = [await addSender('first'), await addSender('second')];
  const ends = flowing.map((sender) => sender.keepAdding(10));
  await vi.waitFor(() => expect(flowing.every((sender) => sender.acknowledged.size > 100)).toBe(true), { timeout: 30_000 });

  const accepted = await openByHand();
  const body = JSON.stringify({ json: 'half of it is sent before the stop' });
  const host = `localhost:${installation.http}`;
  accepted.socket.write(
    `POST /agent/v1/enroll HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
  );
  const probe = await openByHand();
  probe.socket.write(`GET /readyz HTTP/1.1\r\nhost: ${host}\r\n`);
  expect((await get(installation, '/readyz')).status).toBe(200);
  const postgres = postmasterOf(installation);

  server.child.kill('SIGTERM');
  await vi.waitFor(() => expect(server.output()).toContain('"draining"'), { timeout: 10_000, interval: 5 });
  probe.socket.write('\r\n');
  expect(await probe.answer).toMatch(/^HTTP\/1\.1 503 /);
  accepted.socket.write(body.slice(9));
  // Refused for what it says, which only a server that read it to its end can do.
  expect(await accepted.answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*problem\+json/);
  expect(await server.exited).toBe(0);
  expect(findLeftovers(installation)).toEqual([]);
  expect(() => process.kill(postgres, 0)).toThrow();

  server = await startServer(installation);
  process.stdout.write(`second start: ready after ${(server.readyMs / 1000).toFixed(1)} s\n`);
  for (const end of ends) await end();
  await vi.waitFor(() => expect(flowing.map((sender) => sender.waiting())).toEqual([0, 0]), { timeout: 30_000 });
  for (const { agentId, spooled, acknowledged } of flowing) {
    expect(acknowledged).toEqual(spooled);
    const shown = (await waitForShown({ installation, token, agentId }, spooled.size)).map((one) => one.result_id);
    expect(shown.length).toBe(new Set(shown).size);
    expect(new Set(shown)).toEqual(spooled);
  }
});
