/** What a server signs when it acknowledges a batch: whose it was, its very bytes by their hash, and what became of it. */
export interface Receipt {
  tenant: string;
  agentId: string;
  sequence: number;
  /** SHA-256 of the message ResultBatch before compression, hex. */
  sha256: string;
  accepted: number;
  rejected: number;
  /** Unix milliseconds of the server's clock. */
  receivedAtMs: number;
}

/** The text that is signed. Its first line keeps it apart from everything else that the same key signs, certificates above all. */
export const receiptText = (r: Receipt): string =>
  ['svc-receipt-v1', r.tenant, r.agentId, r.sequence, r.sha256, r.accepted, r.rejected, r.receivedAtMs].join('\n');

/** What is receipted as it is, beside batches. */
export type ReceiptedKind = 'status' | 'enrol' | 'renew';

/** What a server signs when such a message came: whose it was, what, and its very bytes by their hash. */
export interface MessageReceipt {
  kind: ReceiptedKind;
  tenant: string;
  agentId: string;
  /** SHA-256 of the message AgentStatus before compression, or of the body of the request, hex. */
  sha256: string;
  /** Unix milliseconds of the server's clock. */
  receivedAtMs: number;
}

export const messageReceiptText = (r: MessageReceipt): string =>
  ['svc-message-receipt-v1', r.kind, r.tenant, r.agentId, r.sha256, r.receivedAtMs].join('\n');
