import { createHmac } from 'node:crypto';
import { request } from 'node:https';

/** The receiver of what a provider tells: its webhook's address, secret and the authority that it trusts. */
export interface CallBackTarget {
  url: string;
  secret: string;
  ca: string;
}

export interface CallBack {
  /** Sends one delivery after the other, as each provider does for one object. */
  send(body: unknown, headers: (bytes: Buffer, secret: string) => Record<string, string>): void;
  /** Statuses of all deliveries so far; 0 where none came. */
  settled(): Promise<readonly number[]>;
}

export const hmacHex = (secret: string, bytes: Buffer | string): string =>
  createHmac('sha256', secret).update(bytes).digest('hex');

function post(target: CallBackTarget, bytes: Buffer, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve) => {
    const asked = request(
      target.url,
      { method: 'POST', ca: target.ca, headers: { 'content-type': 'application/json', ...headers } },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? 0));
        answer.once('error', () => resolve(0));
      },
    );
    asked.setTimeout(10_000, () => asked.destroy());
    asked.once('error', () => resolve(0));
    asked.end(bytes);
  });
}

/** Without a target nothing is told, as where nobody has set up a webhook. */
export function createCallBack(target: () => CallBackTarget | undefined): CallBack {
  const statuses: number[] = [];
  let last: Promise<void> = Promise.resolve();
  return {
    send(body, headers) {
      const to = target();
      if (!to) return;
      const bytes = Buffer.from(JSON.stringify(body));
      last = last.then(async () => void statuses.push(await post(to, bytes, headers(bytes, to.secret))));
    },
    settled: () => last.then(() => statuses),
  };
}
