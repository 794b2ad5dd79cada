import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';

export type Signal = 'traces' | 'logs' | 'metrics';

export interface ReceiverAddress {
  /** https://host:port of an OTLP/HTTP receiver. */
  endpoint: string;
  token: string;
  /** PEM of the authority it is trusted by; undefined: the system's. */
  ca: string | undefined;
}

/** The receiver will not take this request, however often it comes. */
export class RefusedError extends Error {}

export interface Posting {
  signal: AbortSignal;
  /** Something was not taken at once: said once a state, not once a try. */
  onTrouble(message: string): void;
}

interface Answer {
  status: number;
  retryAfterMs: number | undefined;
  body: Buffer;
}

const ANSWER_MS = 30_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
/** As OTLP/HTTP lists them. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** What can be read of a google.rpc.Status or a partial success without its schema: its sentence. */
const sentenceOf = (body: Buffer): string => /[\x20-\x7e]{8,}/.exec(body.toString('latin1'))?.[0].trim() ?? '';

/** A client of one receiver; keeps its connections until closed. */
export function createPoster({ endpoint, token, ca }: ReceiverAddress, { signal, onTrouble }: Posting) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4, ...(ca === undefined ? {} : { ca }) });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-protobuf' };

  const send = (kind: Signal, body: Buffer): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const call = request(
        new URL(`/v1/${kind}`, endpoint),
        { method: 'POST', agent, signal, timeout: ANSWER_MS, headers: { ...headers, 'content-length': body.length } },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.once('error', reject);
          answer.once('end', () => {
            const after = Number(answer.headers['retry-after']);
            const retryAfterMs = Number.isFinite(after) ? after * 1000 : undefined;
            resolve({ status: answer.statusCode ?? 0, retryAfterMs, body: Buffer.concat(parts) });
          });
        },
      );
      call.once('timeout', () => call.destroy(new Error(`no answer within ${ANSWER_MS / 1000} s`)));
      call.once('error', reject);
      call.end(body);
    });

  return {
    /** Resolves when the request is acknowledged; tries again for as long as the receiver may take it yet. Throws RefusedError. */
    async post(kind: Signal, body: Buffer): Promise<void> {
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)) {
        let pauseMs = waitMs;
        try {
          const { status, retryAfterMs, body: said } = await send(kind, body);
          if (status === 200) {
            if (sentenceOf(said) !== '') onTrouble(`some ${kind} were not taken: ${sentenceOf(said)}`);
            return;
          }
          if (!RETRYABLE.has(status)) throw new RefusedError(`${kind}: ${status} ${sentenceOf(said)}`);
          pauseMs = retryAfterMs ?? waitMs;
          onTrouble(`${kind} have to wait: ${status} ${sentenceOf(said)}`);
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof RefusedError) throw error;
          onTrouble(`${kind} have to wait: ${error instanceof Error ? error.message : error}`);
        }
        await sleep(pauseMs, undefined, { signal });
      }
    },
    close: (): void => agent.destroy(),
  };
}

export type Poster = ReturnType<typeof createPoster>;
