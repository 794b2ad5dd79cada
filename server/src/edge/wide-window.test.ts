import { once } from 'node:events';
import { type ClientHttp2Stream, connect, createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { type AgentStream, widenWindow } from './grpc-calls.ts';

const WIDE = 1_048_576;
const USUAL = 65_535;
const callOf = (stream: ServerHttp2Stream) => ({ call: { stream } }) as unknown as AgentStream;

test('a connection is wide for a call, and no longer', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const told: (number | undefined)[] = [];
  client.on('remoteSettings', ({ initialWindowSize }) => told.push(initialWindowSize));
  const open = async (): Promise<[ServerHttp2Stream, ClientHttp2Stream]> => {
    const stream = client.request({ ':method': 'POST' }, { endStream: false });
    stream.on('error', () => undefined);
    const [taken] = (await once(server, 'stream')) as [ServerHttp2Stream];
    return [taken, stream];
  };
  try {
    const [[one], [other]] = [await open(), await open()];
    const session = one.session as ServerHttp2Session;
    const narrow = [one, other].map((stream) => widenWindow(callOf(stream), WIDE));
    await vi.waitFor(() => expect(told.at(-1)).toBe(WIDE));
    expect(session.state.effectiveLocalWindowSize).toBe(WIDE);
    narrow[0]?.();
    narrow[0]?.();
    expect(session.state.effectiveLocalWindowSize).toBe(WIDE);
    narrow[1]?.();
    await vi.waitFor(() => expect(told.at(-1)).toBe(USUAL));
    expect(session.state.effectiveLocalWindowSize).toBe(USUAL);
    // A connection that is gone has no window.
    const late = widenWindow(callOf(one), WIDE);
    session.destroy();
    late();
  } finally {
    client.destroy();
    server.close();
  }
});
