import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { chooseOtlpAddresses } from './otlp-addresses.js';

test('the usual OTLP ports are chosen unless addresses are set or the server is a member of a fleet', async () => {
  const own = { SVC_OTLP_GRPC_ADDR: '', SVC_OTLP_HTTP_ADDR: '0.0.0.0:9' } as Record<string, string>;
  expect(await chooseOtlpAddresses((name) => own[name])).toEqual({ env: {}, notes: [] });
  const fleet = { SVC_DATABASE_URL: 'postgres://x' } as Record<string, string>;
  expect(await chooseOtlpAddresses((name) => fleet[name])).toEqual({ env: {}, notes: [] });
});

test('a port of another program is left to it, and said', async () => {
  const other = createServer();
  const isOurs = await new Promise((resolve) => {
    other.once('error', () => resolve(false));
    other.listen({ host: '127.0.0.1', port: 4317 }, () => resolve(true));
  });
  try {
    const { env, notes } = await chooseOtlpAddresses((name) => (name === 'SVC_OTLP_HTTP_ADDR' ? '' : undefined));
    expect(env).toEqual({});
    expect(notes).toEqual([expect.stringContaining('Port 4317 is taken by another program')]);
  } finally {
    if (isOurs) other.close();
  }
});
