import { createHash } from 'node:crypto';
import type { ServerMessage } from '@svc/contracts/agent/messages';
import type { LedgerBlock } from '../publish/ledger.ts';
import { checkMessageReceipt, type ReceiptKey } from '../publish/receipt.ts';

export interface HeardRecordDeps {
  append(block: Partial<LedgerBlock>): void;
  now(): number;
  receiptKey(): ReceiptKey | undefined;
}

/** Writes down what the server says that belongs into the ledger: receipts for statuses, and what others have too. */
export interface HeardRecord {
  /** A status left; `sha256` of its bytes, hex. */
  sent(sha256: string): void;
  /** Gives what may be followed of the message. */
  heard(message: ServerMessage): ServerMessage;
}

/** A server without receipts leaves all of them waiting. */
const MAX_WAITING = 64;
/** A server tells of others at most with each status; a text that is longer is none. */
const TOLD = { burst: 60, perHour: 240, characters: 1024 } as const;
const HOUR_MS = 3_600_000;

/** The text as it came, field by field where it is such. */
function fieldsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { ...value };
  } catch {
    // Shown as it is.
  }
  return { text };
}

/** As often as statuses let a server, and no more: it could push all else out of the ledger. */
function createToldBound(now: () => number): (text: string) => boolean {
  let left: number = TOLD.burst;
  let atMs = now();
  return (text) => {
    left = Math.min(TOLD.burst, left + (Math.max(0, now() - atMs) / HOUR_MS) * TOLD.perHour);
    atMs = now();
    if (left < 1 || text.length > TOLD.characters) return false;
    left -= 1;
    return true;
  };
}

export function createHeardRecord({ append, now, receiptKey }: HeardRecordDeps): HeardRecord {
  /** Statuses that were not receipted yet, oldest first. */
  const waiting = new Set<string>();
  const mayTell = createToldBound(now);
  const noteReceipt = ({ receipt: signature, receipt_of: of, server_clock_ms: receivedAtMs }: ServerMessage): void => {
    const sha256 = Buffer.from(of ?? []).toString('hex');
    // Only for what left: else a server could fill the ledger with receipts.
    if (!signature?.length || !waiting.delete(sha256)) return;
    const receipt = checkMessageReceipt({ kind: 'status', sha256, receivedAtMs, signature }, receiptKey());
    append({ kind: 'receipt', receipt });
  };
  return {
    sent(sha256) {
      waiting.add(sha256);
      for (const oldest of waiting) {
        if (waiting.size <= MAX_WAITING) break;
        waiting.delete(oldest);
      }
    },
    heard(message) {
      noteReceipt(message);
      const { shared_json: text = '' } = message;
      if (text === '') return message;
      // What is not written down is not shown either.
      if (!mayTell(text)) return { ...message, shared_json: '' };
      const content = Buffer.from(text);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const told = { bytes: content.length, sha256, message: { sent: fieldsOf(text), withheld: {} } };
      append({ kind: 'told', direction: 'received', ...told });
      return message;
    },
  };
}
