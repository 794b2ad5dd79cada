import { once } from 'node:events';
import http from 'node:http';
import type net from 'node:net';
import tls from 'node:tls';
import { createCertificateSet } from '@svc/testkit/netlab/certificates';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { RunFailure } from '../synthetic/run-failure.ts';
import { createTargetGuard } from '../synthetic/safety/target-guard.ts';
import { answerA, startNameServer } from '../synthetic/testing/name-server.ts';
import { createServers, toolsWith } from '../synthetic/testing/servers.ts';
import { type FilteringProxy, startFilteringProxy } from './filtering-proxy.ts';
import { createTermination, type Termination } from './terminate-tls.ts';

const servers = createServers();
afterAll(() => servers.close());
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(tools = {}, asked: readonly string[] = [], termination?: Termination) {
  const failures: RunFailure[] = [];
  const guard = createTargetGuard({ allow: ['127.0.0.1'] });
  const proxy = await startFilteringProxy({
    tools: toolsWith({ guard, ...tools }),
    signal: AbortSignal.timeout(20_000),
    giveUp: (failure) => failures.push(failure),
    isAsked: (host) => asked.includes(host),
    termination,
  });
  closing.push(proxy.close);
  return { proxy, failures };
}

/** The status of a tunnel, and its socket. */
const tunnel = ({ port }: FilteringProxy, authority: string): Promise<{ status: number; socket: net.Socket }> =>
  new Promise((resolve, reject) => {
    const request = http.request({ port, host: '127.0.0.1', method: 'CONNECT', path: authority, agent: false });
    request.once('connect', (answer, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve({ status: answer.statusCode ?? 0, socket: socket as net.Socket });
    });
    request.once('error', reject);
    request.end();
  });

describe('the filtering proxy', () => {
  it('opens tunnels to what may be reached, and tells how long that took', async () => {
    const port = await servers.raw((socket) => socket.end('hello'));
    const { proxy } = await start();
    const { status, socket } = await tunnel(proxy, `localhost:${port}`);
    expect(status).toBe(200);
    expect((await socket.toArray()).join('')).toBe('hello');
    expect(proxy.dialled(`localhost:${port}`)).toMatchObject({
      address: '127.0.0.1',
      dnsMs: expect.any(Number),
      connectMs: expect.any(Number),
    });
  });

  it('keeps what is wrong with a certificate while the browser connects again beside it', async () => {
    const { ca, pairs } = await createCertificateSet({ dns: ['localhost'], ip: ['127.0.0.1'] });
    const { port } = new URL(await servers.https(pairs.expired, (_request, response) => response.end('never')));
    const { proxy } = await start({}, [], createTermination(tls.createSecureContext({ ca })));
    const authority = `localhost:${port}`;
    const first = await tunnel(proxy, authority);
    const closed = once(first.socket, 'close');
    tls.connect({ socket: first.socket, rejectUnauthorized: false }).on('error', () => {});
    await closed;
    expect(proxy.failureOf(authority)).toMatchObject({ fault: 'certificate' });
    const second = await tunnel(proxy, authority);
    expect(proxy.failureOf(authority)).toMatchObject({ fault: 'certificate' });
    second.socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(proxy.failureOf(authority)).toMatchObject({ fault: 'certificate' });
  });

  it.each(['127.0.0.2:80', '[::1]:80', '[::ffff:127.0.0.2]:443', '169.254.169.254:80', '0.0.0.0:80', '2130706434:80'])(
    'opens none to %s',
    async (authority) => {
      const { proxy } = await start();
      expect((await tunnel(proxy, authority)).status).toBe(502);
    },
  );

  it('dials what it checked, also where a name changes its mind', async () => {
    let asked = 0;
    const port = await servers.raw((socket) => socket.end('hello'));
    const names = await startNameServer((query, send) => {
      if (query.questions?.[0]?.type === 'A') asked += 1;
      send(answerA(query, asked === 1 ? ['127.0.0.1'] : ['127.0.0.2']));
    });
    closing.push(names.close);
    const { proxy } = await start({ resolvers: [names.address] });
    expect((await tunnel(proxy, `turning.example:${port}`)).status).toBe(200);
    expect((await tunnel(proxy, `turning.example:${port}`)).status).toBe(502);
    expect(proxy.failureOf(`turning.example:${port}`)).toMatchObject({ fault: 'target_refused' });
  });

  it('refuses what is no authority, and other ways to say it', async () => {
    const { proxy } = await start();
    for (const authority of ['localhost', 'localhost:0', 'localhost:99999', 'a@localhost:80', '[::1:80'])
      expect((await tunnel(proxy, authority)).status).toBe(400);
  });

  it("keeps Chromium's own services from it, unless a page asks for them", async () => {
    const names = await startNameServer((query, send) => send(answerA(query, ['127.0.0.1'])));
    closing.push(names.close);
    const port = await servers.raw((socket) => socket.end('hello'));
    const { proxy } = await start({ resolvers: [names.address] }, ['accounts.google.com']);
    expect((await tunnel(proxy, `update.googleapis.com:${port}`)).status).toBe(502);
    expect((await tunnel(proxy, `accounts.google.com:${port}`)).status).toBe(200);
  });

  it('ends a run that loads without end', async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    const port = await servers.raw((socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
    });
    const { proxy, failures } = await start();
    const { socket } = await tunnel(proxy, `127.0.0.1:${port}`);
    socket.resume();
    await expect.poll(() => failures[0]?.message, { timeout: 15_000 }).toBe('The page loads more than 256 MiB.');
    proxy.close();
  });
});
