import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { chooseOtlpAddresses } from '../otlp-addresses.js';
import { whyNoShop } from './shop.js';

it('says which program keeps the shop away, where one has the port, and what to set', async () => {
  const other = createServer();
  // Where the machine has something on it already, that is the other program.
  const isOurs = await new Promise((resolve) => {
    other.once('error', () => resolve(false));
    other.listen({ host: '127.0.0.1', port: 4318 }, () => resolve(true));
  });
  const { notes } = await chooseOtlpAddresses(() => undefined);
  if (isOurs) await new Promise((resolve) => other.close(resolve));
  expect(whyNoShop(notes)).toBe(
    'Port 4318 is taken by another program, so OTLP is not received there; set SVC_OTLP_HTTP_ADDR to another address. Without it the demo has no shop.',
  );
});

it('says so where OTLP is switched off', () => {
  expect(whyNoShop([])).toBe('OTLP over HTTPS is not received here (SVC_OTLP_HTTP_ADDR). Without it the demo has no shop.');
});
