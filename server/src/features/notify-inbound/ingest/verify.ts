import type { InboundRefusal } from '@svc/contracts/notify/inbound';
import type { NativeReader, SignedDelivery } from '#kernel';
import { SIGNATURE_REFUSALS, verifyHex, verifyToken } from '#webhooks';

export const TOKEN_HEADER = 'x-svc-token';
const OWN = { header: 'x-svc-signature', prefix: 'sha256=' };

/**
 * Why one secret does not let a delivery in; undefined: it does. Over its very bytes, before anything of them is read. Our own headers come
 * first, and one that is there and wrong is not made good by another.
 */
export function verify(
  reader: Pick<NativeReader, 'verify'>,
  secret: string,
  delivery: SignedDelivery,
): InboundRefusal | undefined {
  const signature = verifyHex(secret, delivery, OWN);
  if (signature !== 'absent' && signature !== 'taken') return SIGNATURE_REFUSALS[signature];
  const token = verifyToken(secret, delivery, [TOKEN_HEADER]);
  if (token === 'wrong') return 'wrong_token';
  if (signature === 'taken' || token === 'taken') return undefined;
  return SIGNATURE_REFUSALS[reader.verify(secret, delivery)];
}
