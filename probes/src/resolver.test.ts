import dgram from 'node:dgram';
import { afterEach, describe, expect, it } from 'vitest';
import { measureResolver } from './resolver.ts';

const sockets: dgram.Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

/** A server on the loopback; `reply` gives the datagrams it sends for the n-th query. */
async function startServer(reply: (query: Buffer, n: number) => Buffer[]): Promise<number> {
  const socket = dgram.createSocket('udp4');
  sockets.push(socket);
  let n = 0;
  socket.on('message', (query, peer) => {
    for (const bytes of reply(query, n)) socket.send(bytes, peer.port, peer.address);
    n += 1;
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return socket.address().port;
}

const answerWith = (query: Buffer, code: number): Buffer => {
  const bytes = Buffer.from(query);
  bytes.writeUInt16BE(0x8180 | code, 2);
  return bytes;
};
const request = { server: '127.0.0.1', names: ['app.lab.test'], count: 3, intervalMs: 1, timeoutMs: 200 };

describe('a resolver', () => {
  it('that answers has round-trip times and no loss', async () => {
    const port = await startServer((query) => [answerWith(query, 0)]);
    const measured = await measureResolver({ ...request, port });
    expect(measured).toMatchObject({ success: true, isPrivate: true, sent: 3, lost: 0, lossRatio: 0, responseCode: 'NOERROR' });
    expect(measured.rttsMs).toHaveLength(3);
    expect(measured.rttAvgMs).toBeGreaterThan(0);
    expect(measured.error).toBeUndefined();
  });

  it('that says there is no such name works', async () => {
    const port = await startServer((query) => [answerWith(query, 3)]);
    expect(await measureResolver({ ...request, port })).toMatchObject({ success: true, responseCode: 'NXDOMAIN' });
  });

  it('that fails answers, but without success', async () => {
    const port = await startServer((query) => [answerWith(query, 2)]);
    expect(await measureResolver({ ...request, port })).toMatchObject({ success: false, lost: 0, responseCode: 'SERVFAIL' });
  });

  it('that loses a query shows the loss', async () => {
    const port = await startServer((query, n) => (n === 1 ? [] : [answerWith(query, 0)]));
    const measured = await measureResolver({ ...request, port });
    expect(measured).toMatchObject({ success: true, sent: 3, lost: 1, error: 'ETIMEDOUT' });
    expect(measured.lossRatio).toBeCloseTo(1 / 3);
  });

  it('is not believed where the answer has another number', async () => {
    const port = await startServer((query) => {
      const forged = answerWith(query, 0);
      forged.writeUInt16BE(forged.readUInt16BE(0) ^ 1, 0);
      return [forged, Buffer.from('x')];
    });
    expect(await measureResolver({ ...request, count: 1, port })).toMatchObject({
      success: false,
      lost: 1,
      responseCode: null,
      rttAvgMs: null,
    });
  });

  it('that is not there is refused at once', async () => {
    const port = await startServer(() => []);
    sockets.pop()?.close();
    const startedMs = performance.now();
    expect(await measureResolver({ ...request, count: 1, port, timeoutMs: 5000 })).toMatchObject({
      success: false,
      error: 'ECONNREFUSED',
    });
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });
});

const withAddress = (query: Buffer, address: readonly number[]): Buffer => {
  const bytes = answerWith(query, 0);
  bytes.writeUInt16BE(1, 6);
  return Buffer.concat([bytes, Buffer.from('c00c00010001000000050004', 'hex'), Buffer.from(address)]);
};

describe('a resolver that is asked for several names', () => {
  it('has the answer to each, and one query at least for each', async () => {
    const port = await startServer((query, n) => [n === 1 ? answerWith(query, 3) : withAddress(query, [203, 0, 113, n])]);
    const measured = await measureResolver({ ...request, port, names: ['a.test', 'b.test', 'c.test', 'd.test'] });
    expect(measured).toMatchObject({ sent: 4, lost: 0, invalidAddresses: null, lies: null });
    expect(measured.answers).toEqual([
      { name: 'a.test', code: 'NOERROR', addresses: ['203.0.113.0'] },
      { name: 'b.test', code: 'NXDOMAIN', addresses: [] },
      { name: 'c.test', code: 'NOERROR', addresses: ['203.0.113.2'] },
      { name: 'd.test', code: 'NOERROR', addresses: ['203.0.113.3'] },
    ]);
  });

  it('is caught where it finds a name that cannot exist, whose query counts neither as loss nor as time', async () => {
    const port = await startServer((query) => [withAddress(query, [10, 0, 0, 1])]);
    const liar = await measureResolver({ ...request, port, asksInvalid: true });
    expect(liar).toMatchObject({ sent: 3, lies: 'wildcard', invalidAddresses: ['10.0.0.1'] });
    const honest = await startServer((query, n) => (n === 3 ? [answerWith(query, 3)] : [withAddress(query, [203, 0, 113, 1])]));
    expect(await measureResolver({ ...request, port: honest, asksInvalid: true })).toMatchObject({
      sent: 3,
      lost: 0,
      lies: null,
      invalidAddresses: [],
    });
    const silent = await startServer((query, n) => (n === 3 ? [] : [answerWith(query, 0)]));
    expect(await measureResolver({ ...request, port: silent, asksInvalid: true })).toMatchObject({
      lost: 0,
      lies: null,
      invalidAddresses: null,
    });
  });

  it('that is slow or silent holds no later query up', async () => {
    const port = await startServer(() => []);
    const startedMs = performance.now();
    await measureResolver({ ...request, port, count: 5, timeoutMs: 300 });
    expect(performance.now() - startedMs).toBeLessThan(900);
  });
});

describe('the limits of a resolver measurement', () => {
  it('are the signal, while a query waits', async () => {
    const port = await startServer(() => []);
    const controller = new AbortController();
    const reason = new Error('asked to stop');
    setTimeout(() => controller.abort(reason), 20);
    await expect(measureResolver({ ...request, port, timeoutMs: 5000, signal: controller.signal })).rejects.toBe(reason);
  });

  it.each([{ server: 'dns.test' }, { count: 0 }, { count: 26 }, { names: ['a..b'] }, { names: [] }])(
    'are good input: %o is refused',
    async (change) => {
      await expect(measureResolver({ ...request, ...change })).rejects.toThrow(RangeError);
    },
  );
});
