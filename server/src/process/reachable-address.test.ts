import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { findReachableAddress, findSenderHost } from './reachable-address.ts';

type Asked = Parameters<typeof findSenderHost>[0];
const config = (host: string, publicUrl?: string): Asked =>
  ({
    server: {
      listenAddr: { host, port: 8443 },
      agentGrpcAddr: { host, port: 8444 },
      agentPublicAddr: undefined,
      publicUrl,
    },
    publicUrl: publicUrl ?? 'https://localhost:8443',
  }) as unknown as Asked;

const outside = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter((one) => !one.internal && one.family === 'IPv4')
  .map(({ address }) => address);

it('a server that listens on loopback only says so, unless people reach it by a public name', () => {
  expect(findReachableAddress(config('127.0.0.1'))).toMatchObject({ serverUrl: 'https://localhost:8443', isReachable: false });
  expect(findReachableAddress(config('127.0.0.1', 'https://monitor.example'))).toMatchObject({
    serverUrl: 'https://monitor.example',
    isReachable: true,
  });
});

it('senders are led to the public name, else to an address of this host, whatever the console listens at', () => {
  expect(findSenderHost(config('0.0.0.0', 'https://monitor.example:8443'))).toBe('monitor.example');
  expect(findSenderHost(config('127.0.0.1'))).toBe(outside[0] ?? findSenderHost(config('0.0.0.0')));
});
