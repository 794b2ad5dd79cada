import { expect, it } from 'vitest';
import { readVpn } from './vpn.ts';
import { lineReading } from './win32.ts';

it.each([
  [0, { value: true }],
  [1, { value: false }],
  [255, { unavailable: 'not_supported' }],
])('reads the line status %d', (line, reading) => {
  expect(lineReading(Buffer.from([line, ...Array<number>(11).fill(7)]))).toEqual(reading);
});

const route = (tunnel: boolean) => ({
  value: {
    family: 4,
    gateway: { value: '192.0.2.1' },
    interfaceName: 'one',
    interfaceIndex: 1,
    source: { value: '192.0.2.7' },
    tunnel,
  } as const,
});

it('sees a VPN on the first route there is', async () => {
  expect(await readVpn(async () => route(true), {})).toEqual({ value: true });
  expect(await readVpn(async (to) => (to.includes(':') ? route(true) : { unavailable: 'no_target' }), {})).toEqual({
    value: true,
  });
  expect(
    await readVpn(
      async () => route(false),
      {},
      async ({ interfaceName }) => interfaceName === 'one',
    ),
  ).toEqual({ value: true });
  expect(await readVpn(async (to) => route(to === '198.51.100.9'), { towards: '198.51.100.9' })).toEqual({ value: true });
  expect(await readVpn(async () => ({ unavailable: 'no_target' }), {})).toEqual({ unavailable: 'no_target' });
});
