import { createPrivateKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { createIntermediate, createRootCa, type IdentityKind, issueAgentLeaf, type KeyPair, type Sealer } from '#crypto';
import type { Clock, TenantId } from '#kernel';
import type { Relational } from '#relational';

export interface AuthorityDeps {
  relational: Relational;
  sealer: Pick<Sealer, 'seal' | 'open'>;
  clock: Clock;
}

/** A leaf for one agent with its intermediate, PEM. */
export interface IssuedChain {
  chain: string;
  notAfterMs: number;
}

/** First part of every name: `spiffe://svc/tenant/<t>/agent/<a>`. */
export const TRUST_DOMAIN = 'svc';

/** A new intermediate is made this long before the old one ends, so that no leaf outlives its issuer. */
const ROTATE_BEFORE_MS = 60 * 86_400_000;
const ROOT_CONTEXT = 'agent-root-ca';
/** How long a list of issuers is believed before it is read again for a certificate that none of them issued. */
const REREAD_MS = 5000;

interface TenantIssuers {
  readAtMs: number;
  certs: X509Certificate[];
}
interface SigningIssuer extends KeyPair {
  notAfterMs: number;
}
interface KeptRow {
  cert_pem: string;
  /** Base64 of what the sealer gave. */
  key_sealed: string;
}

const contextOf = (tenant: TenantId): string => `agent-intermediate/${tenant}`;
const sealKey = (deps: AuthorityDeps, keyPem: string, context: string): string =>
  deps.sealer.seal(keyPem, context).toString('base64');
const openRow = (deps: AuthorityDeps, row: KeptRow, context: string): KeyPair => ({
  certPem: row.cert_pem,
  keyPem: deps.sealer.open(Buffer.from(row.key_sealed, 'base64'), context).toString('utf8'),
});

/** The one root of the service, made by whoever needs it first. */
function createRootKeeper(deps: AuthorityDeps) {
  let root: Promise<KeptRow> | undefined;
  const load = async (): Promise<KeptRow> => {
    const [kept] = await deps.relational.directory<KeptRow>('agent_root');
    if (kept) return kept;
    const made = await createRootCa({ commonName: 'svc agent root', clock: deps.clock });
    const args = [made.certPem, sealKey(deps, made.keyPem, ROOT_CONTEXT)];
    const [row] = await deps.relational.directory<KeptRow>('keep_agent_root', args);
    if (!row) throw new Error('the agent root was not kept');
    return row;
  };
  const read = async (): Promise<KeptRow> => {
    root ??= load().catch((error: unknown) => {
      root = undefined;
      throw error;
    });
    return await root;
  };
  return { read, open: async (): Promise<KeyPair> => openRow(deps, await read(), ROOT_CONTEXT) };
}

const endOf = (certPem: string): number => new X509Certificate(certPem).validToDate.getTime();

/** The intermediate that signs for each tenant, made where there is none or where it ends soon. */
function createSigners(deps: AuthorityDeps, openRoot: () => Promise<KeyPair>) {
  const { relational, clock } = deps;
  const signing = new Map<TenantId, Promise<SigningIssuer>>();
  const make = async (tenant: TenantId): Promise<SigningIssuer> => {
    const made = await createIntermediate(await openRoot(), { trustDomain: TRUST_DOMAIN, tenant, clock });
    const notAfterMs = endOf(made.certPem);
    const values = [
      uuidv7(),
      made.certPem,
      sealKey(deps, made.keyPem, contextOf(tenant)),
      new Date(notAfterMs),
      new Date(clock.now()),
    ];
    await relational.withTenantSql(tenant, async (sql) => {
      await sql.query(
        `INSERT INTO agent_intermediates (tenant_id, id, cert_pem, key_sealed, not_after, created_at)
         VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4, $5)`,
        values,
      );
    });
    return { ...made, notAfterMs };
  };
  const load = async (tenant: TenantId): Promise<SigningIssuer> => {
    const row = await relational.withTenantSql(tenant, async (sql) => {
      const { rows } = await sql.query<KeptRow>(
        'SELECT cert_pem, key_sealed FROM agent_intermediates WHERE not_after > $1 ORDER BY created_at DESC LIMIT 1',
        [new Date(clock.now() + ROTATE_BEFORE_MS)],
      );
      return rows[0];
    });
    return row ? { ...openRow(deps, row, contextOf(tenant)), notAfterMs: endOf(row.cert_pem) } : await make(tenant);
  };
  return async (tenant: TenantId): Promise<SigningIssuer> => {
    const pending = signing.get(tenant);
    const known = await pending?.catch(() => undefined);
    if (known && known.notAfterMs > clock.now() + ROTATE_BEFORE_MS) return known;
    // Whoever waited beside us may have begun already.
    const current = signing.get(tenant);
    if (current && current !== pending) return await current;
    const loading = load(tenant);
    signing.set(tenant, loading);
    loading.catch(() => signing.delete(tenant));
    return await loading;
  };
}

const issuedByOneOf = (leaf: X509Certificate, certs: readonly X509Certificate[]): boolean =>
  certs.some((cert) => leaf.checkIssued(cert) && leaf.verify(cert.publicKey));

/** The agents' certificate authority: one root for the service, one intermediate a tenant, leaves of 24 hours. */
export function createAgentAuthority(deps: AuthorityDeps) {
  const { relational, clock } = deps;
  const root = createRootKeeper(deps);
  const signerOf = createSigners(deps, root.open);
  const issuers = new Map<TenantId, TenantIssuers>();
  const reading = new Map<TenantId, Promise<TenantIssuers>>();
  const keys = new WeakMap<SigningIssuer, KeyObject>();
  const keyOf = (issuer: SigningIssuer): KeyObject => {
    const key = keys.get(issuer) ?? createPrivateKey(issuer.keyPem);
    keys.set(issuer, key);
    return key;
  };

  const loadIssuers = async (tenant: TenantId): Promise<TenantIssuers> => {
    const certs = await relational.withTenantSql(tenant, async (sql) => {
      const { rows } = await sql.query<{ cert_pem: string }>('SELECT cert_pem FROM agent_intermediates WHERE not_after > $1', [
        new Date(clock.now()),
      ]);
      return rows.map((row) => new X509Certificate(row.cert_pem));
    });
    const found = { readAtMs: clock.now(), certs };
    issuers.set(tenant, found);
    return found;
  };

  /** One read for all devices of a tenant that come at once. */
  const readIssuers = async (tenant: TenantId): Promise<TenantIssuers> => {
    const under = reading.get(tenant) ?? loadIssuers(tenant).finally(() => reading.delete(tenant));
    reading.set(tenant, under);
    return await under;
  };

  return {
    /** PEM of the root that a client's chain must end at. */
    rootCertificate: async (): Promise<string> => (await root.read()).cert_pem,
    /** A leaf of 24 hours for the key (SubjectPublicKeyInfo, DER). Not to be called inside a transaction. */
    async issue(
      { tenant, agentId, kind = 'agent' }: { tenant: TenantId; agentId: string; kind?: IdentityKind },
      publicKey: Uint8Array,
    ): Promise<IssuedChain> {
      const issuer = await signerOf(tenant);
      const leaf = await issueAgentLeaf(issuer, publicKey, { trustDomain: TRUST_DOMAIN, tenant, agentId, kind, clock });
      return { chain: `${leaf.certPem.trim()}\n${issuer.certPem.trim()}\n`, notAfterMs: leaf.notAfter.getTime() };
    },
    /** Signs receipts, each at once, with the key that issues the tenant's certificates, which its devices hold: 64 bytes, r and s. */
    async receiptSigner(tenant: TenantId): Promise<(text: string) => Buffer> {
      const key = keyOf(await signerOf(tenant));
      return (text) => sign('sha256', Buffer.from(text, 'utf8'), { key, dsaEncoding: 'ieee-p1363' });
    },
    /** True when one of the tenant's own intermediates issued the leaf; TLS alone would take any tenant's. */
    async isIssuedBy(tenant: TenantId, leaf: X509Certificate): Promise<boolean> {
      const known = issuers.get(tenant) ?? (await readIssuers(tenant));
      if (issuedByOneOf(leaf, known.certs)) return true;
      if (clock.now() - known.readAtMs < REREAD_MS) return false;
      return issuedByOneOf(leaf, (await readIssuers(tenant)).certs);
    },
  };
}

export type AgentAuthority = ReturnType<typeof createAgentAuthority>;
