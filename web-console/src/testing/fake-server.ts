import type { ErrorCode } from '@svc/contracts/error-codes';
import { HTTP_STATUS } from '@svc/contracts/error-codes';
import { afterEach } from 'vitest';
import type { Input, MutationName, Output, QueryName } from '../api-types.ts';

type Name = QueryName | MutationName;

/** What stands for the server: an answer by procedure, as its own types have it. What is not named here is not found. */
export type Answers = { [Key in Name]?: Answer<Output<Key>> | ((input: Input<Key>) => Answer<Output<Key>>) };
type Answer<Value> = Value | Refusal | typeof SILENCE | typeof WAITING;

/** An answer that refuses: its code, the sentence that a person reads, and what is wrong with which part of the input. */
export class Refusal {
  readonly code: ErrorCode;
  readonly message: string;
  /** What the error has beside its sentence. */
  readonly more: object | undefined;
  /** What is wrong with which part of the input. */
  readonly faults: readonly { path: string; message: string }[] = [];
  constructor(code: ErrorCode, message: string, more?: object) {
    this.code = code;
    this.message = message;
    this.more = more;
  }
}

/** An answer that names the parts of the input that are wrong. */
export class InputRefusal extends Refusal {
  override readonly faults: Refusal['faults'];
  constructor(faults: Refusal['faults']) {
    super('validation', 'The input cannot be used like this.');
    this.faults = faults;
  }
}

/** No server is there. */
export const SILENCE = Symbol('silence');
/** An answer that never comes: the page goes on loading. */
export const WAITING = Symbol('waiting');

export interface FakeServer {
  /** Gives other answers from now on. */
  answer: (more: Answers) => void;
  /** Inputs of the calls of a procedure so far. */
  calls: <Key extends Name>(name: Key) => Input<Key>[];
}

const realFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = realFetch;
});

const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

const refuse = ({ code, message, more, faults }: Refusal): Response =>
  json(HTTP_STATUS[code], {
    error: {
      message,
      code: -32_000,
      data: { appCode: code, httpStatus: HTTP_STATUS[code], requestId: 'req-1', faults, ...(more ? { more } : {}) },
    },
  });

function inputOf(url: URL, init: RequestInit | undefined): unknown {
  const text = init?.body ?? url.searchParams.get('input');
  return typeof text === 'string' ? JSON.parse(text) : undefined;
}

/**
 * Answers what the console asks of `/trpc` in this test; everything else goes to the real network of the test's own page. Procedures without an
 * answer are not found, or wait where `others` says so.
 */
export function startFakeServer(first: Answers, others?: typeof WAITING): FakeServer {
  const answers = new Map<string, unknown>(Object.entries(first));
  const calls: { name: string; input: unknown }[] = [];
  globalThis.fetch = async (resource, init) => {
    const url = new URL(resource instanceof Request ? resource.url : resource, location.href);
    if (!url.pathname.startsWith('/trpc/')) return realFetch(resource, init);
    const name = url.pathname.slice('/trpc/'.length);
    const input = inputOf(url, init);
    calls.push({ name, input });
    const known = answers.get(name) ?? others ?? new Refusal('not_found', `This test has no answer for ${name}.`);
    const answer: unknown = typeof known === 'function' ? known(input) : known;
    if (answer === SILENCE) throw new TypeError('Failed to fetch');
    if (answer === WAITING)
      return new Promise<Response>((_, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError'))),
      );
    return answer instanceof Refusal ? refuse(answer) : json(200, { result: { data: answer } });
  };
  return {
    answer: (more) => {
      for (const [name, answer] of Object.entries(more)) answers.set(name, answer);
    },
    calls: (name) => calls.filter((call) => call.name === name).map(({ input }) => input as never),
  };
}
