import { createHash } from 'node:crypto';
import type { AgentStatus, BatchAck } from '@svc/contracts/agent/messages';
import type { LineTraffic } from '../deep-test/line-traffic.ts';
import type { Identity } from '../identity/identity.ts';
import type { SentDocument } from '../identity/sent-document.ts';
import type { Ledger, LedgerBlock, LedgerMessage } from '../publish/ledger.ts';
import type { Outgoing } from '../publish/outgoing.ts';
import { checkMessageReceipt, checkReceipt, type ReceiptKey, receiptKeyOf } from '../publish/receipt.ts';
import { decodeRecord } from '../publish/record.ts';
import { createHeardRecord, type HeardRecord } from './heard-record.ts';

export interface SentRecordDeps {
  ledger: Ledger;
  now(): number;
  /** host:port of the agents' listener. */
  server(): string;
  /** The status as it would be if nothing were withheld. */
  wholeStatus(): AgentStatus;
  /** Undefined while this device has no identity, or none that names an issuer. */
  receiptKey(): ReceiptKey | undefined;
}

/** Writes down what leaves over the connection, in the order in which it does, and what the server answered to it. */
export interface SentRecord {
  sending(message: Outgoing): void;
  acknowledged(bytes: Buffer, ack: BatchAck): Promise<void>;
  heard: HeardRecord['heard'];
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Empty texts, zeros and empty lists are not on the wire at all. */
const isSent = (value: unknown): boolean =>
  value !== undefined && value !== '' && value !== 0 && value !== false && !(Array.isArray(value) && value.length === 0);

function statusMessage(status: AgentStatus, whole: AgentStatus): LedgerMessage {
  const withheld = Object.entries(whole).filter(([key, value]) => isSent(value) && !isSent(status[key as keyof AgentStatus]));
  return {
    sent: Object.fromEntries(Object.entries(status).filter(([, value]) => isSent(value))),
    // What is told once in a connection is not kept back the next time.
    withheld: Object.fromEntries(withheld),
  };
}

/** A request over HTTPS, with what the device knows of itself and did not say in it. */
export function documentBlock(sent: SentDocument, known: object = {}): LedgerBlock {
  const { kind, server, document, bytes, sha256, atMs } = sent;
  const withheld = Object.fromEntries(Object.entries(known).filter(([key]) => !(key in document)));
  return { kind, at: atMs, server, results: [], bytes, sha256, message: { sent: document, withheld } };
}

/** One way of a stream of a test of the line. */
export function trafficBlock(
  { stream, direction, messages, bytes, sha256 }: LineTraffic,
  of: { server: string; at: number },
): LedgerBlock {
  const content = stream === 'load' ? 'random bytes' : 'sequence numbers';
  const way = direction === 'received' ? { direction } : {};
  return { kind: stream, ...way, ...of, results: [], bytes, sha256, message: { sent: { messages, content }, withheld: {} } };
}

/** The request, and behind it what the server signed for it; `identity` is what the answer brought. */
export function documentBlocks(sent: SentDocument, identity: Identity | undefined, known: object = {}): LedgerBlock[] {
  const block = documentBlock(sent, known);
  const { kind, server, sha256, receipt: given } = sent;
  if (!given || kind === 'update') return [block];
  const told = { kind, sha256, receivedAtMs: given.receivedAtMs, signature: Buffer.from(given.signature, 'base64') };
  const receipt = checkMessageReceipt(told, identity && receiptKeyOf(identity));
  return [block, { kind: 'receipt', at: sent.atMs, server, results: [], receipt }];
}

export function createSentRecord({ ledger, now, server, wholeStatus, receiptKey }: SentRecordDeps): SentRecord {
  const append = (block: Partial<LedgerBlock>): void =>
    void ledger.append({ at: now(), results: [], server: server(), ...block });
  const record = createHeardRecord({ append, now, receiptKey });
  return {
    sending(message) {
      const { kind, bytes } = message;
      const common = { kind, server: server(), bytes: bytes.length, sha256: digestOf(bytes) };
      if (kind === 'results') append({ ...common, results: message.records.map(decodeRecord) });
      else {
        append({ ...common, message: statusMessage(message.status, wholeStatus()) });
        record.sent(common.sha256);
      }
    },
    async acknowledged(bytes, ack) {
      const receipt = checkReceipt({ ack, sha256: digestOf(bytes) }, receiptKey());
      await ledger.append({ kind: 'receipt', at: now(), server: server(), results: [], receipt });
    },
    heard: record.heard,
  };
}
