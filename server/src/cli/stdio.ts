import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Stdio } from './mcp.ts';

/** Of a message that is not whole yet. */
const MAX_BUFFER_BYTES = 1024 * 1024;

/** Standard input and output as the protocol uses them: a message a line. Loaded by `svc mcp` alone. */
export async function openStdio(): Promise<Stdio> {
  const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_BUFFER_BYTES });
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve;
    for (const event of ['end', 'close'] as const) process.stdin.once(event, () => resolve());
  });
  return {
    receive: (take) => {
      transport.onmessage = take;
      void transport.start();
    },
    send: async (message) => await transport.send(message as JSONRPCMessage),
    ended,
  };
}
