import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import type { BatchAck } from '@svc/contracts/agent/messages';
import { receiptText } from '@svc/contracts/agent/receipt';
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
  const holds = verify('sha256', Buffer.from(text), { key: key.key, dsaEncoding: 'ieee-p1363' }, receipt);
  return { ...told, state: holds ? 'signed' : 'invalid' };
}
