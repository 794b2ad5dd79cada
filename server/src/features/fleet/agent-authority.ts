import { X509Certificate } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import type { Clock, TenantId } from '#kernel';
import type { Relational } from '#relational';
import { type Issuer, type KeyedCertificate, makeIntermediate, makeRoot, readIssuer, signLeaf } from './certificates.ts';
import { agentUri, tenantUri } from './domain/identity-uri.ts';

/** Keeps keys encrypted at rest; `context` binds a sealed text to its place, so that one cannot be put in another's. */
export interface Sealer {
  seal(plain: Buffer, context: string): string | Promise<string>;
  open(sealed: string, context: string): Buffer | Promise<Buffer>;
}

export interface AuthorityDeps {
  relational: Relational;
  sealer: Sealer;
  clock: Clock;
}

/** A leaf for one agent with its intermediate, PEM. */
export interface IssuedChain {
  chain: string;
  notAfterMs: number;
}

const LEAF_MS = 24 * 3_600_000;
/** A new intermediate is made this long before the old one ends, so that no leaf outlives its issuer. */
const ROTATE_BEFORE_MS = 60 * 86_400_000;
const ROOT_CONTEXT = 'agent-root-ca';
/** How long a list of issuers is believed before it is read again for a certificate that none of them issued. */
const REREAD_MS = 5000;

interface TenantIssuers {
  readAtMs: number;
  certs: X509Certificate[];
}
interface SigningIssuer extends Issuer {
  certPem: string;
  notAfterMs: number;
}

const contextOf = (tenant: TenantId): string => `agent-intermediate/${tenant}`;

interface RootRow {
  cert_pem: string;
  key_sealed: string;
}

/** The one root of the service, made by whoever needs it first. */
function createRootKeeper({ relational, sealer, clock }: AuthorityDeps) {
  let root: Promise<RootRow> | undefined;
  const load = async (): Promise<RootRow> => {
    const [kept] = await relational.directory<RootRow>('agent_root');
    if (kept) return kept;
    const made = await makeRoot(clock.now());
    const sealed = await sealer.seal(Buffer.from(made.keyPem), ROOT_CONTEXT);
    const [row] = await relational.directory<RootRow>('keep_agent_root', [made.certPem, sealed]);
    if (!row) throw new Error('the agent root was not kept');
    return row;
  };
  const read = async (): Promise<RootRow> => {
    root ??= load().catch((error: unknown) => {
      root = undefined;
      throw error;
    });
    return await root;
  };
  return {
    read,
    async readIssuer(): Promise<Issuer> {
      const row = await read();
      const keyPem = (await sealer.open(row.key_sealed, ROOT_CONTEXT)).toString('utf8');
      return await readIssuer({ certPem: row.cert_pem, keyPem });
    },
  };
}

/** The intermediate that signs for each tenant, made where there is none or where it ends soon. */
function createSigners({ relational, sealer, clock }: AuthorityDeps, rootIssuer: () => Promise<Issuer>) {
  const signing = new Map<TenantId, Promise<SigningIssuer>>();
  const make = async (tenant: TenantId): Promise<SigningIssuer> => {
    const made = await makeIntermediate(await rootIssuer(), tenantUri(tenant), clock.now());
    const sealed = await sealer.seal(Buffer.from(made.keyPem), contextOf(tenant));
    await relational.withTenantSql(tenant, async (sql) => {
      await sql.query(
        `INSERT INTO agent_intermediates (tenant_id, id, cert_pem, key_sealed, not_after, created_at)
         VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4, $5)`,
        [uuidv7(), made.certPem, sealed, new Date(made.notAfterMs), new Date(clock.now())],
      );
    });
    return { ...(await readIssuer(made)), certPem: made.certPem, notAfterMs: made.notAfterMs };
  };
  const load = async (tenant: TenantId): Promise<SigningIssuer> => {
    const row = await relational.withTenantSql(tenant, async (sql) => {
      const { rows } = await sql.query<RootRow & { not_after: Date }>(
        'SELECT cert_pem, key_sealed, not_after FROM agent_intermediates WHERE not_after > $1 ORDER BY created_at DESC LIMIT 1',
        [new Date(clock.now() + ROTATE_BEFORE_MS)],
      );
      return rows[0];
    });
    if (!row) return await make(tenant);
    const keyPem = (await sealer.open(row.key_sealed, contextOf(tenant))).toString('utf8');
    const keyed: KeyedCertificate = { certPem: row.cert_pem, keyPem };
    return { ...(await readIssuer(keyed)), certPem: row.cert_pem, notAfterMs: row.not_after.getTime() };
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
  const signerOf = createSigners(deps, root.readIssuer);
  const issuers = new Map<TenantId, TenantIssuers>();

  const readIssuers = async (tenant: TenantId): Promise<TenantIssuers> => {
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

  return {
    /** PEM of the root that a client's chain must end at. */
    rootCertificate: async (): Promise<string> => (await root.read()).cert_pem,
    /** A leaf of 24 hours for the key (SubjectPublicKeyInfo, DER). Not to be called inside a transaction. */
    async issue(agent: { tenant: TenantId; agentId: string }, publicKey: Uint8Array): Promise<IssuedChain> {
      const issuer = await signerOf(agent.tenant);
      const nowMs = clock.now();
      const notAfterMs = Math.floor((nowMs + LEAF_MS) / 1000) * 1000;
      const leaf = await signLeaf(issuer, { uri: agentUri(agent.tenant, agent.agentId), publicKey, nowMs, notAfterMs });
      return { chain: `${leaf.trim()}\n${issuer.certPem.trim()}\n`, notAfterMs };
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
