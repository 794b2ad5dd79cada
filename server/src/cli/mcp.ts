import { AppError } from '#kernel';
import { type Command, textOption } from './command.ts';
import type { HttpsClient } from './rest-client.ts';

/** A message of JSON-RPC, of which nothing more is known here. */
export interface Message {
  id?: string | number | undefined;
  method?: string | undefined;
}

/** The assistant at the other end of standard input and output. */
export interface Stdio {
  receive: (take: (message: Message) => void) => void;
  send: (message: object) => Promise<void>;
  /** Resolves when nothing more will come. */
  ended: Promise<void>;
}

export interface McpCommandDeps {
  /** With SVC_TOKEN; AppError `bad_request` without one. */
  connect: (options: { server: string | undefined; caFile: string | undefined }) => HttpsClient;
  openStdio: () => Promise<Stdio>;
  /** A line for the person; standard output is the assistant's. */
  warn: (line: string) => void;
}

/** JSON-RPC leaves these codes to servers. */
const SERVER_ERROR = -32_000;

const versionOf = (answer: object): string | undefined => {
  const { result } = answer as { result?: { protocolVersion?: unknown } };
  return typeof result?.protocolVersion === 'string' ? result.protocolVersion : undefined;
};

const toRefusal = (id: string | number, error: unknown): object => {
  const known = error instanceof AppError ? error : new AppError('internal', 'The message could not be passed on.');
  const message = [known.message, ...known.faults.map(({ path, message: why }) => `${path}: ${why}`)].join(' ');
  return { jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message, data: { code: known.code } } };
};

/** Passes each message on to the server's /mcp and its answer back; ends when the assistant does, behind the last answer. */
async function relay(
  { connect, openStdio, warn }: McpCommandDeps,
  where: Parameters<McpCommandDeps['connect']>[0],
): Promise<void> {
  const post = connect(where);
  const stdio = await openStdio();
  let version: string | undefined;
  const pass = async (message: Message): Promise<void> => {
    try {
      const headers: Record<string, string> = version === undefined ? {} : { 'mcp-protocol-version': version };
      const text = await post({ method: 'POST', path: '/mcp', body: message, headers });
      if (text === '') return;
      const answer = JSON.parse(text) as object;
      if (message.method === 'initialize') version = versionOf(answer) ?? version;
      await stdio.send(answer);
    } catch (error) {
      if (error instanceof AppError) warn(error.message);
      if (message.id !== undefined) await stdio.send(toRefusal(message.id, error));
    }
  };
  const underWay = new Set<Promise<void>>();
  stdio.receive((message) => {
    const passing = pass(message).finally(() => underWay.delete(passing));
    underWay.add(passing);
  });
  await stdio.ended;
  await Promise.allSettled(underWay);
}

export const createMcpCommand = (deps: McpCommandDeps): Command => ({
  name: 'mcp',
  summary: 'Lets an assistant on this machine read from a control plane (MCP over standard input and output).',
  details:
    'An assistant starts it and asks: incidents, causes, changes, tests, devices, metrics, traces. Nothing in it writes.\n' +
    'SVC_TOKEN holds an API token (svc_pat_...) with the permission ai.query, of a tenant that consented (docs/mcp.md).',
  options: {
    server: { type: 'string', value: 'URL', help: 'the control plane; default SVC_PUBLIC_URL' },
    ca: { type: 'string', value: 'FILE', help: 'PEM authority of its certificate, where the system does not know it' },
  },
  run: async (input) => await relay(deps, { server: textOption(input, 'server'), caFile: textOption(input, 'ca') }),
});
