import { generateKeyPairSync } from 'node:crypto';
import type { JWK } from 'oidc-provider';
import { randomToken } from '#crypto';
import type { Clock } from '#kernel';
import type { Relational } from '#relational';
import type { Vault } from './context.ts';

/** What the built-in identity provider signs and authenticates with; made once, sealed at rest, the same for all replicas. */
export interface IssuerKeys {
  signing: JWK;
  cookieSecret: string;
  clientSecret: string;
}

const NAME = 'issuer';

const makeKeys = (): IssuerKeys => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    signing: { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: randomToken(32).slice(0, 12) } as JWK,
    cookieSecret: randomToken(32),
    clientSecret: randomToken(32),
  };
};

/** Of several replicas at their first start, the first to store its keys wins and all use them. */
export async function loadIssuerKeys(deps: {
  relational: Pick<Relational, 'directory'>;
  vault: Vault;
  clock: Clock;
}): Promise<IssuerKeys> {
  const context = `key/${NAME}`;
  const args = [NAME, deps.vault.seal(makeKeys(), context), new Date(deps.clock.now())];
  const [row] = await deps.relational.directory<{ sealed: Buffer }>('ensure_identity_key', args);
  if (!row) throw new Error('directory_ensure_identity_key gave no row');
  return deps.vault.open<IssuerKeys>(row.sealed, context);
}
