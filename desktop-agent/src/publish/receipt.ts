import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import type { BatchAck } from '@svc/contracts/agent/messages';
import { messageReceiptText, type ReceiptedKind, receiptText } from '@svc/contracts/agent/receipt';
import type { Identity } from '../identity/identity.ts';
import type { LedgerReceipt } from './ledger.ts';

/** Whose receipts, and what proves them: the issuer of this device's own certificate. */
export interface ReceiptKey {
  tenant: string;
  agentId: string;
  key: KeyObject;
}

const CERTIFICATE_END = /(?<=-----END CERTIFICATE-----)/;

/** Undefined where the identity names no issuer. */
export function receiptKeyOf({ chain, tenantId, agentId }: Identity): ReceiptKey | undefined {
  const [, issuer = ''] = chain.split(CERTIFICATE_END);
  try {
    return { tenant: tenantId, agentId, key: new X509Certificate(issuer).publicKey };
  } catch {
    return undefined;
  }
}

interface Answered {
  ack: BatchAck;
  /** SHA-256 of the batch that left, hex. */
  sha256: string;
}

/** The server's answer as it goes into the ledger: whether its signature is for the very bytes that left. */
export function checkReceipt({ ack, sha256 }: Answered, key: ReceiptKey | undefined): LedgerReceipt {
  const { sequence, accepted, rejected, receipt = new Uint8Array(), received_at_ms: receivedAtMs = 0 } = ack;
  const signature = Buffer.from(receipt).toString('base64');
  const told = { of: sha256, sequence, accepted, rejected, receivedAtMs, signature };
  if (receipt.length === 0 || !key) return { ...told, state: 'unsigned' };
  const { tenant, agentId } = key;
  const text = receiptText({ tenant, agentId, sequence, sha256, accepted, rejected, receivedAtMs });
  return { ...told, state: isSigned(text, receipt, key) ? 'signed' : 'invalid' };
}

const isSigned = (text: string, signature: Uint8Array, { key }: ReceiptKey): boolean =>
  verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature);

/** A receipt for a message that is no batch, as it came. */
export interface ToldReceipt {
  kind: ReceiptedKind;
  /** SHA-256 of the message that left, hex. */
  sha256: string;
  receivedAtMs: number;
  signature: Uint8Array;
}

/** The same for a status or a request: the server signs, or says nothing. */
export function checkMessageReceipt(given: ToldReceipt, key: ReceiptKey | undefined): LedgerReceipt {
  const { kind, sha256, receivedAtMs, signature } = given;
  const told = { of: sha256, kind, receivedAtMs, signature: Buffer.from(signature).toString('base64') };
  if (!key) return { ...told, state: 'unsigned' };
  const text = messageReceiptText({ kind, tenant: key.tenant, agentId: key.agentId, sha256, receivedAtMs });
  return { ...told, state: isSigned(text, signature, key) ? 'signed' : 'invalid' };
}
