import type { ChangeProvider, RefusalReason } from '@svc/contracts/changes/kinds';
import type { SignedDelivery } from '#kernel';
import { SIGNATURE_REFUSALS, SIGNING_TOKEN, TOKEN_REFUSALS, verifyHex, verifyStandard, verifyToken } from '#webhooks';

const PREFIX = 'sha256=';
const HEADERS = { generic: 'x-svc-signature', forge_a: 'x-hub-signature-256' } as const;
const TOKENS = ['x-forge-token', 'x-gitlab-token'];

/** Why one secret does not let a delivery in; undefined: it does. A secret that signs never counts as a token. */
export function verify(provider: ChangeProvider, secret: string, delivery: SignedDelivery): RefusalReason | undefined {
  if (provider !== 'forge_b')
    return SIGNATURE_REFUSALS[verifyHex(secret, delivery, { header: HEADERS[provider], prefix: PREFIX })];
  if (secret.startsWith(SIGNING_TOKEN)) return SIGNATURE_REFUSALS[verifyStandard(secret, delivery)];
  return TOKEN_REFUSALS[verifyToken(secret, delivery, TOKENS)];
}
