import { expect, test } from 'vitest';
import { AppError } from '#kernel';
import { runCommandLine } from './command.ts';
import { createMcpCommand, type Message } from './mcp.ts';
import type { HttpsCall } from './rest-client.ts';

/** Runs `svc mcp` for an assistant that says these things one after the other; gives what it heard. */
async function runWith(said: readonly Message[], answer: (call: HttpsCall) => Promise<string>) {
  const heard: object[] = [];
  const warned: string[] = [];
  const calls: HttpsCall[] = [];
  const reached: object[] = [];
  const command = createMcpCommand({
    connect: (where) => {
      reached.push(where);
      return async (call) => {
        calls.push(call);
        return await answer(call);
      };
    },
    openStdio: async () => {
      let take: (message: Message) => void = () => {};
      const ended = (async () => {
        for (const message of said) {
          await new Promise((resolve) => setImmediate(resolve));
          take(message);
        }
      })();
      return {
        receive: (receiver) => {
          take = receiver;
        },
        send: async (message) => void heard.push(message),
        ended,
      };
    },
    warn: (line) => warned.push(line),
  });
  await runCommandLine([command], ['mcp', '--server', 'https://svc.example', '--ca', 'ca.pem'], () => {
    throw new Error('standard output is the assistant’s');
  });
  return { heard, warned, calls, reached };
}

const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const list = { jsonrpc: '2.0', id: 'two', method: 'tools/list' };

test('each message goes to the server and its answer back, in the version that was agreed on', async () => {
  const { heard, calls, reached } = await runWith([initialize, initialized, list], async ({ body }) => {
    const { id, method } = body as Message;
    if (id === undefined) return '';
    return JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? { protocolVersion: '2025-06-18' } : {} });
  });
  expect(reached).toEqual([{ server: 'https://svc.example', caFile: 'ca.pem' }]);
  expect(heard).toMatchObject([{ id: 1 }, { id: 'two', result: {} }]);
  expect(calls.map(({ path, headers }) => [path, headers])).toEqual([
    ['/mcp', {}],
    ['/mcp', { 'mcp-protocol-version': '2025-06-18' }],
    ['/mcp', { 'mcp-protocol-version': '2025-06-18' }],
  ]);
});

test('a refusal is told to the assistant with what to do, and to the person', async () => {
  const refusal = 'This tenant has not consented.';
  const { heard, warned } = await runWith([list, initialized], async () => {
    throw new AppError('forbidden', refusal);
  });
  expect(heard).toEqual([{ jsonrpc: '2.0', id: 'two', error: { code: -32_000, message: refusal, data: { code: 'forbidden' } } }]);
  expect(warned).toEqual([refusal, refusal]);
});

test('what was asked before the assistant left is answered to its end', async () => {
  const { heard } = await runWith([list], async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return JSON.stringify({ jsonrpc: '2.0', id: 'two', result: {} });
  });
  expect(heard).toHaveLength(1);
});
