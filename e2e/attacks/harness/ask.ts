import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';

/** Where a listener of the attacked server is and whom it must prove to be. */
export interface Door {
  port: number;
  ca: Buffer;
  /** 127.0.0.1 unless told. */
  host?: string;
}

export interface Request {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer | string;
  json?: unknown;
  form?: Record<string, string>;
  /** Bearer token. */
  token?: string;
  /** Loopback address to come from: budgets by address are then the caller's own. */
  from?: string;
  agent?: Agent;
  timeoutMs?: number;
}

export interface Answer {
  /** 0: the connection was cut or nothing came in time; `body` then says which. */
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
  /** The same as it came, for what is not text. */
  bytes?: Buffer;
  ms: number;
}

const bodyOf = ({ body, json, form }: Request): { body: Buffer | string | undefined; type: string | undefined } => {
  if (json !== undefined) return { body: JSON.stringify(json), type: 'application/json' };
  if (form) return { body: new URLSearchParams(form).toString(), type: 'application/x-www-form-urlencoded' };
  return { body, type: undefined };
};

const read = ({ statusCode = 0, headers }: IncomingMessage, bytes: Buffer): Omit<Answer, 'ms'> => {
  return { status: statusCode, headers, body: bytes.toString(), bytes };
};

/** One HTTPS request; never rejects, so that a refusal by cutting is an answer like any other. */
export function ask(door: Door, path: string, options: Request = {}): Promise<Answer> {
  const { body, type } = bodyOf(options);
  const began = performance.now();
  return new Promise((resolve) => {
    const done = (answer: Omit<Answer, 'ms'>) => resolve({ ...answer, ms: performance.now() - began });
    const cut = (error: Error) => done({ status: 0, headers: {}, body: error.message });
    const outgoing = request(
      {
        ...{ host: door.host ?? '127.0.0.1', servername: 'localhost', port: door.port, path, ca: door.ca },
        ...{ agent: options.agent ?? false, method: options.method ?? (body === undefined ? 'GET' : 'POST') },
        ...(options.from ? { localAddress: options.from } : {}),
        headers: {
          host: `localhost:${door.port}`,
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
          ...(type === undefined ? {} : { 'content-type': type }),
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
          ...options.headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', cut);
        incoming.on('end', () => done(read(incoming, Buffer.concat(chunks))));
      },
    );
    const limit = setTimeout(() => outgoing.destroy(new Error('no answer in time')), options.timeoutMs ?? 20_000);
    outgoing.on('error', cut);
    outgoing.on('close', () => clearTimeout(limit));
    outgoing.end(body);
  });
}
