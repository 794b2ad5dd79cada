import { createHash } from 'node:crypto';
import type { AgentStatus, BatchAck } from '@svc/contracts/agent/messages';
import type { SentDocument } from '../identity/sent-document.ts';
import type { Ledger, LedgerBlock, LedgerMessage } from '../publish/ledger.ts';
import type { Outgoing } from '../publish/outgoing.ts';
import { checkReceipt, type ReceiptKey } from '../publish/receipt.ts';
import { decodeRecord } from '../publish/record.ts';

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

export function createSentRecord({ ledger, now, server, wholeStatus, receiptKey }: SentRecordDeps): SentRecord {
  const append = (block: Omit<LedgerBlock, 'at' | 'results'> & Partial<LedgerBlock>): void =>
    void ledger.append({ at: now(), results: [], ...block });
  return {
    sending(message) {
      const { kind, bytes } = message;
      const common = { kind, server: server(), bytes: bytes.length, sha256: digestOf(bytes) };
      if (kind === 'results') append({ ...common, results: message.records.map(decodeRecord) });
      else append({ ...common, message: statusMessage(message.status, wholeStatus()) });
    },
    async acknowledged(bytes, ack) {
      const receipt = checkReceipt({ ack, sha256: digestOf(bytes) }, receiptKey());
      await ledger.append({ kind: 'receipt', at: now(), server: server(), results: [], receipt });
    },
  };
}
