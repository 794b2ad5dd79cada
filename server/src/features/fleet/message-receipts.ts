import { messageReceiptText, type ReceiptedKind } from '@svc/contracts/agent/receipt';
import type { FleetContext, TenantAgent } from './context.ts';

/** A message as it came. */
export interface Received {
  kind: ReceiptedKind;
  /** SHA-256 of its very bytes. */
  digest: Buffer;
}

export interface SignedReceipt {
  receipt: Buffer;
  receivedAtMs: number;
}

/** A receipt that the device can keep; undefined where none can be signed: what came counts all the same. */
export async function signReceipt(
  { authority, clock, log }: Pick<FleetContext, 'authority' | 'clock' | 'log'>,
  { tenant, agentId }: TenantAgent,
  { kind, digest }: Received,
): Promise<SignedReceipt | undefined> {
  try {
    const sign = await authority.receiptSigner(tenant);
    const receivedAtMs = clock.now();
    const receipt = sign(messageReceiptText({ kind, tenant, agentId, sha256: digest.toString('hex'), receivedAtMs }));
    return { receipt, receivedAtMs };
  } catch (error) {
    log.warn({ err: error, tenant }, 'a receipt could not be signed');
    return undefined;
  }
}
