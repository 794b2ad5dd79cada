import { pino } from 'pino';
import type { Bus, OutgoingMessage } from '#bus';
import { createRootCa, createServerLeaf, sha256 } from '#crypto';
import { parseTenantId } from '#kernel';
import { type Receiver, type ReceiverDeps, startReceiver } from './ingress.ts';
import type { Report } from './messages.ts';
import type { TokenEntry, TokenTable } from './token-gate.ts';

export const ACME = parseTenantId('acme');
export const OTHER = parseTenantId('other');
export const TOKENS = { acme: 'token-of-acme', other: 'token-of-other', expired: 'token-expired', revoked: 'token-revoked' };

const entry = (id: string, tenant: TokenEntry['tenant'], more: Partial<TokenEntry> = {}): TokenEntry => ({
  ...{ id, tenant, expiresAtMs: null, revoked: false },
  ...more,
});

export const toTable = (tokens: readonly (readonly [string, TokenEntry])[]): TokenTable => ({
  hashes: Buffer.concat(tokens.map(([token]) => sha256(token))),
  entries: tokens.map(([, one]) => one),
});

export const TABLE = toTable([
  [TOKENS.acme, entry('a', ACME)],
  [TOKENS.other, entry('o', OTHER)],
  [TOKENS.expired, entry('e', ACME, { expiresAtMs: 1000 })],
  [TOKENS.revoked, entry('r', ACME, { revoked: true })],
]);

export interface TestReceiver {
  receiver: Receiver;
  ca: string;
  grpcPort: number;
  httpPort: number;
  /** Of the sender, where the receiver demands one. */
  key?: string;
  cert?: string;
  /** What reached the bus, in order. */
  published: { topic: string; message: OutgoingMessage }[];
  reports: Report[];
  /** What the bus does next instead of taking. */
  bus: { fails: Error | undefined; waits: Promise<void> | undefined };
}

/** A receiver on free ports of 127.0.0.1, with its real thread and TLS; the bus keeps what it gets. */
export async function startTestReceiver(more: Partial<ReceiverDeps> = {}): Promise<TestReceiver> {
  const ca = await createRootCa({ commonName: 'receiver test' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
  const published: TestReceiver['published'] = [];
  const reports: Report[] = [];
  const state: TestReceiver['bus'] = { fails: undefined, waits: undefined };
  const bus: Pick<Bus, 'publish'> = {
    async publish(topic, messages) {
      await state.waits;
      if (state.fails) throw state.fails;
      // Its memory is used again once this resolves.
      for (const message of messages) published.push({ topic, message: { ...message, value: Buffer.from(message.value) } });
    },
  };
  const free = { host: '127.0.0.1', port: 0 };
  const receiver = await startReceiver({
    ...{
      bus,
      grpc: free,
      http: free,
      tls: { key: leaf.keyPem, cert: leaf.certPem },
      clientCa: undefined,
      maxBytes: 4 * 1024 * 1024,
      makesCrc: true,
    },
    ...{ tokens: TABLE, onReport: (report: Report) => void reports.push(report), log: pino({ level: 'silent' }) },
    ...more,
  });
  const { grpc = 0, http = 0 } = receiver.ports();
  return { receiver, ca: ca.certPem, grpcPort: grpc, httpPort: http, published, reports, bus: state };
}
