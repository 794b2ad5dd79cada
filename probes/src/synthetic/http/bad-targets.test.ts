import type net from 'node:net';
import zlib from 'node:zlib';
import { Measured } from '@svc/contracts/tests/run-report';
import type { TestSpecInput } from '@svc/contracts/tests/test';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runTest } from '../run-test.ts';
import { createServers, spec, toolsWith } from '../testing/servers.ts';

const MEBIBYTE = 1024 * 1024;
const servers = createServers();
afterAll(() => servers.close());
/** A run leaves nothing open behind it. */
afterEach(() => expect.poll(servers.openConnections).toBe(0));

type Params = Extract<TestSpecInput, { type: 'http' }>['params'];
const run = async (port: number, params: Params = {}, timeout_seconds = 5) =>
  Measured.parse(
    await runTest(spec({ type: 'http', target: `http://127.0.0.1:${port}/`, params, timeout_seconds }), toolsWith()),
  );

const raw = (answer: (socket: net.Socket) => void) => servers.raw((socket) => socket.once('data', () => answer(socket)));
const HEAD = 'HTTP/1.1 200 OK\r\n';

async function whileMeasuring<Value>(work: () => Promise<Value>): Promise<{ value: Value; grownMiB: number; ms: number }> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  const startedMs = performance.now();
  const value = await work();
  clearInterval(timer);
  return { value, grownMiB: (Math.max(most, process.memoryUsage().rss) - before) / MEBIBYTE, ms: performance.now() - startedMs };
}

describe('a target that means no good', () => {
  it('hangs: nothing comes', async () => {
    const { value, ms } = await whileMeasuring(async () => run(await raw(() => undefined), {}, 1));
    expect(value).toMatchObject({ fault: 'timeout', error: 'Nothing of an answer came within 1 s.' });
    expect(value.phases.first_byte).toBeGreaterThan(900);
    expect(ms).toBeLessThan(1500);
  });

  it('dribbles its head and its body', async () => {
    const drip =
      (start: string) =>
      (socket: net.Socket): void => {
        socket.write(start);
        const timer = setInterval(() => socket.write('x'), 20);
        socket.once('close', () => clearInterval(timer));
      };
    const head = await run(await raw(drip(`${HEAD}x-slow: `)), {}, 1);
    expect(head).toMatchObject({ fault: 'timeout', error: 'The answer was not complete within 1 s.' });
    const body = await run(await raw(drip(`${HEAD}\r\n`)), {}, 1);
    expect(body).toMatchObject({ fault: 'timeout', error: 'The answer was not complete within 1 s.' });
    expect(body.total_ms).toBeLessThan(1500);
  });

  it('sends without end', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    const port = await raw((socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write(chunk));
        if (!socket.destroyed) socket.once('drain', more);
      };
      socket.write(`${HEAD}\r\n`);
      more();
    });
    const { value, grownMiB, ms } = await whileMeasuring(() => run(port, { assertions: { body_contains: ['y'] } }));
    expect(value).toMatchObject({ fault: 'too_large', error: 'The body has more than 10 MiB.' });
    expect(grownMiB).toBeLessThan(120);
    expect(ms).toBeLessThan(4000);
  });

  it.each(['gzip', 'br', 'deflate', 'zstd'])('sends a bomb of %s', async (encoding) => {
    const plain = Buffer.alloc(64 * MEBIBYTE);
    const pack = {
      gzip: zlib.gzipSync,
      br: (data: Buffer) => zlib.brotliCompressSync(data, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
      deflate: zlib.deflateSync,
      zstd: zlib.zstdCompressSync,
    }[encoding];
    const bomb = pack?.(plain) ?? Buffer.alloc(0);
    const port = await raw((socket) =>
      socket.end(
        Buffer.concat([Buffer.from(`${HEAD}content-encoding: ${encoding}\r\ncontent-length: ${bomb.length}\r\n\r\n`), bomb]),
      ),
    );
    const { value, grownMiB, ms } = await whileMeasuring(() => run(port));
    expect(value).toMatchObject({ fault: 'too_large', error: 'The body unpacks to more than 10 MiB.' });
    expect(grownMiB).toBeLessThan(100);
    expect(ms).toBeLessThan(4000);
  });

  it('sends encodings that are none, nobody asked for, or are piled up', async () => {
    const encoded = (name: string, body = 'no gzip at all') =>
      raw((socket) => socket.end(`${HEAD}content-encoding: ${name}\r\n\r\n${body}`)).then((port) => run(port));
    expect(await encoded('gzip')).toMatchObject({ fault: 'protocol', error: expect.stringContaining('cannot be unpacked') });
    expect(await encoded('constructor')).toMatchObject({ fault: 'protocol', error: expect.stringContaining('nobody asked for') });
    expect(await encoded('gzip, gzip, gzip, gzip')).toMatchObject({
      fault: 'protocol',
      error: expect.stringContaining('4 times'),
    });
  });

  it('sends a head without end', async () => {
    const port = await raw((socket) => socket.end(`${HEAD}x: ${'y'.repeat(100_000)}\r\n\r\n`));
    expect(await run(port)).toMatchObject({ fault: 'too_large', error: expect.stringContaining('head of the answer') });
  });

  it('closes one half, either half, too early', async () => {
    const before = await raw((socket) => socket.end());
    expect(await run(before)).toMatchObject({ fault: 'closed', error: expect.stringMatching(/closed the connection/) });
    const within = await raw((socket) => socket.end(`${HEAD}content-length: 100\r\n\r\nhalf`));
    expect(await run(within)).toMatchObject({ fault: 'closed', error: expect.stringMatching(/body/) });
    const chunked = await raw((socket) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhello`));
    expect(await run(chunked)).toMatchObject({ fault: 'closed' });
    const half = await servers.raw((socket) => void socket.resume().end(), { allowHalfOpen: true });
    expect(await run(half)).toMatchObject({ fault: 'closed' });
  });

  it('resets the connection', async () => {
    const port = await raw((socket) => void socket.resetAndDestroy());
    expect(await run(port)).toMatchObject({ fault: 'reset', error: expect.stringContaining('reset while the answer') });
  });

  it('speaks no HTTP', async () => {
    const port = await raw((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    expect(await run(port)).toMatchObject({ fault: 'protocol', error: expect.stringContaining('no HTTP') });
    const other = await raw((socket) =>
      socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    );
    expect(await run(other)).toMatchObject({ fault: 'protocol' });
    const smuggler = await raw((socket) => socket.end(`${HEAD}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`));
    expect(await run(smuggler)).toMatchObject({ fault: 'protocol' });
  });

  it('redirects in circles, to nowhere, and to what is no web page', async () => {
    const to = (location: string) => raw((socket) => socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\n\r\n`));
    const circle = await run(await to('/'), { max_redirects: 3 });
    expect(circle).toMatchObject({ fault: 'redirect', error: expect.stringMatching(/^After 3 redirects it redirects on/) });
    expect(circle.evidence?.redirects).toHaveLength(3);
    expect(await run(await to('file:///etc/passwd'))).toMatchObject({ fault: 'redirect' });
    expect(await run(await to('http://[nonsense'))).toMatchObject({ fault: 'redirect' });
  });

  it('is not there', async () => {
    const gone = await servers.raw(() => undefined);
    const other = createServers();
    const port = await other.raw(() => undefined);
    await other.close();
    expect(gone).not.toBe(port);
    expect(await run(port)).toMatchObject({ fault: 'refused', error: expect.stringMatching(/^127\.0\.0\.1:\d+ refuses/) });
  });

  it('explodes no expression', async () => {
    const port = await raw((socket) => socket.end(`${HEAD}\r\n${'xy'.repeat(MEBIBYTE / 2)}`));
    const hard = '(?:x[xy]{90}|y[xy]{91}|[xy]x[xy]{92})+\\d';
    const { value, ms } = await whileMeasuring(() => run(port, { assertions: { body_matches: hard } }));
    expect(value).toMatchObject({
      fault: 'assertion',
      assertions: [{}, { got: expect.stringMatching(/no match in the first \d+ characters/) }],
    });
    expect(ms).toBeLessThan(3000);
    const larger = await run(port, { assertions: { body_matches: '((x{1,100}){1,10}){1,10}y' } });
    expect(larger).toMatchObject({ fault: 'assertion', error: expect.stringMatching(/no expression that RE2 takes/) });
    const classic = await run(port, { assertions: { body_matches: '^(x+x+)+$' } });
    expect(classic.total_ms).toBeLessThan(2000);
  });
});

it('expressions of a test that take long together are given up', async () => {
  const url = await servers.http((_request, response) => response.end('ab'.repeat(100_000)));
  const json = Array.from({ length: 10 }, (_, n) => ({ path: '$', matches: `(?:.*a){${290 + n}}b` }));
  const quoted = await servers.http((_request, response) => response.end(JSON.stringify('ab'.repeat(100_000))));
  const runWith = async (target: string, assertions: object) =>
    await runTest(spec({ type: 'http', target, params: { assertions } }), toolsWith({}));
  const sinceMs = process.threadCpuUsage().user;
  const measured = await runWith(quoted, { json });
  expect((process.threadCpuUsage().user - sinceMs) / 1000).toBeLessThan(900);
  expect(measured.assertions.at(-1)).toMatchObject({
    passed: false,
    got: 'not looked at: the expressions before it took too long',
  });
  expect((await runWith(url, { body_matches: '^ab' })).success).toBe(true);
});
