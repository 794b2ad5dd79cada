import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { enroll } from '../identity/enroll.ts';
import type { Credentials } from '../identity/identity.ts';
import { type ControlPlane, startControlPlane } from '../testing/control-plane.ts';
import { loadLine } from './load-line.ts';

let plane: ControlPlane;
let credentials: Credentials;
beforeAll(async () => {
  plane = await startControlPlane();
  credentials = await enroll({ server: plane.url, token: plane.token, facts: { agent_version: '0.1.0' } });
});
afterAll(() => plane.close());

const request = (signal = new AbortController().signal) => ({ credentials, bytes: 500_000, idleMs: 400, loadMs: 2000, signal });

it('carries so many bytes each way, and knows the round trip without load', async () => {
  const view = await loadLine(request());
  expect(view).toMatchObject({ fault: null, upload: { bytes: 500_000 }, download: { bytes: 500_000 } });
  expect(view.idleMs).toBeGreaterThan(0);
  expect(view.idleMs).toBeLessThan(1000);
});

/** A line of so many bytes per second each way, with one long queue for all connections, as in a cheap router. */
async function startLine(port: number, bytesPerSecond: number) {
  const sockets = new Set<Socket>();
  const createQueue = () => {
    const queue: { to: Socket; chunk: Buffer }[] = [];
    let credit = 0;
    const timer = setInterval(() => {
      credit = Math.min(credit + bytesPerSecond / 100, bytesPerSecond / 50);
      for (let next = queue[0]; next && credit > 0; next = queue[0]) {
        queue.shift();
        credit -= next.chunk.length;
        if (!next.to.destroyed) next.to.write(next.chunk);
      }
    }, 10);
    return { queue, stop: () => clearInterval(timer) };
  };
  const [up, down] = [createQueue(), createQueue()];
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    near.on('data', (chunk: Buffer) => void up.queue.push({ to: far, chunk }));
    far.on('data', (chunk: Buffer) => void down.queue.push({ to: near, chunk }));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close(): void {
      for (const { stop } of [up, down]) stop();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

it('sees the queue that builds up on a slow line, by echoes on another connection', { timeout: 30_000 }, async () => {
  const line = await startLine(Number(plane.grpcAddr.split(':')[1]), 400_000);
  try {
    const slow = { ...credentials, identity: { ...credentials.identity, grpcAddr: line.address } };
    const view = await loadLine({ ...request(), credentials: slow, loadMs: 3000 });
    expect(view.fault).toBeNull();
    const idleMs = view.idleMs ?? Number.NaN;
    expect(view.upload?.echoMs).toBeGreaterThan(idleMs + 100);
    expect(view.download?.echoMs).toBeGreaterThan(idleMs + 100);
    expect(view.upload?.tookMs).toBeGreaterThan(900);
  } finally {
    line.close();
  }
});

it('says that it may not, or that the control plane offers none', async () => {
  plane.faults = { refuse: { code: 'rate_limited', status: 8 } };
  expect(await loadLine(request())).toMatchObject({ fault: 'too_often', upload: null, download: null });
  plane.faults = { noLinkTest: true };
  await plane.stopListening();
  await plane.listen();
  expect(await loadLine(request())).toMatchObject({ fault: 'not_offered' });
  plane.faults = {};
  await plane.stopListening();
  expect(await loadLine(request())).toMatchObject({ fault: 'failed' });
  await plane.listen();
});

it('ends at once when aborted', async () => {
  const control = new AbortController();
  const reason = new Error('paused');
  const running = loadLine(request(control.signal));
  setTimeout(() => control.abort(reason), 100);
  await expect(running).rejects.toThrow();
});
