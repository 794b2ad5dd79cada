import dgram from 'node:dgram';
import { Measured } from '@svc/contracts/tests/run-report';
import type { TestSpecInput } from '@svc/contracts/tests/test';
import { afterEach, expect, it } from 'vitest';
import { runTest } from '../run-test.ts';
import { spec, toolsWith } from '../testing/servers.ts';

const open: dgram.Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});
async function serve(answer: (bytes: Buffer) => readonly string[]): Promise<number> {
  const socket = dgram.createSocket('udp4');
  open.push(socket);
  socket.on('message', (bytes, from) => {
    for (const reply of answer(bytes)) socket.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return socket.address().port;
}

type Params = Extract<TestSpecInput, { type: 'udp' }>['params'];
const run = async (port: number, params: Params = {}, seconds = 2) =>
  Measured.parse(
    await runTest(spec({ type: 'udp', target: `127.0.0.1:${port}`, params, timeout_seconds: seconds }), toolsWith()),
  );

it('sends, and judges what comes back', async () => {
  const port = await serve((bytes) => ['noise', `got ${bytes.toString('hex')}`]);
  const measured = await run(port, { send: 'hi\\x00', assertions: { expect_contains: '686900', expect_answer: true } });
  expect(measured).toMatchObject({ success: true, port, evidence: { body_excerpt: 'got 686900' } });
  expect(measured.phases.first_byte).toBeGreaterThan(0);
  const other = await run(port, { send: 'x', assertions: { expect_matches: '^ok$' } }, 1);
  expect(other).toMatchObject({ fault: 'assertion' });
});

it('takes little of the processor where datagrams are many and an expression is hard, and says so of one that is none', async () => {
  const flood = Array.from({ length: 90 }, () => 'xy'.repeat(15_000));
  const port = await serve(() => flood);
  const before = process.cpuUsage();
  const hard = '(?:x[xy]{90}|y[xy]{91}|[xy]x[xy]{92})+\\d';
  expect(await run(port, { send: 'x', assertions: { expect_matches: hard } }, 2)).toMatchObject({ success: false });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(1.5);
  expect(await run(port, { send: 'x', assertions: { expect_matches: '(' } })).toMatchObject({
    fault: 'internal',
    error: expect.stringContaining('no expression that RE2 takes'),
  });
});

it('passes in silence where nothing is expected, and else says that nothing came', async () => {
  const port = await serve(() => []);
  const measured = await run(port, { send: 'x' });
  expect(measured).toMatchObject({ success: true, phases: {} });
  expect(measured.total_ms).toBeLessThan(1500);
  expect(await run(port, { send: 'x', assertions: { expect_answer: true } }, 1)).toMatchObject({
    fault: 'no_answer',
    error: expect.stringContaining('silence'),
  });
});

it('tells an unreachable port by itself', async () => {
  const port = await serve(() => []);
  for (const socket of open.splice(0)) await new Promise<void>((resolve) => socket.close(() => resolve()));
  const measured = await run(port, { send: 'x' });
  expect(measured).toMatchObject({
    success: false,
    fault: 'port_unreachable',
    error: `127.0.0.1:${port} says that the port is unreachable: nothing listens there.`,
  });
  expect(measured.total_ms).toBeLessThan(1000);
});
