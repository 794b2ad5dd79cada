import { X509Certificate } from 'node:crypto';
import { readAgentCertificate, sha256Hex } from '#crypto';
import type { VerifiedAgent } from '#edge';
import { AppError, type Clock, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import { type AgentAuthority, TRUST_DOMAIN } from './agent-authority.ts';
import { createAgentCache } from './agent-cache.ts';
import { type AgentStanding, createStandingReader } from './agent-standing.ts';

/** Channel on which every replica hears of agents that are not trusted any more: `<tenant>/<agent>`. */
export const REVOKED_CHANNEL = 'svc_agent_revoked';

type OnRevoked = (tenant: TenantId, agentId: string) => void;

export interface VerifyDeps {
  relational: Relational;
  authority: AgentAuthority;
  clock: Clock;
}

/** Refuses an agent that is not known, revoked or retired. */
function refuseGone(standing: AgentStanding): void {
  if (standing === 'unknown') throw new AppError('not_found', 'This agent is unknown here. Enrol it.');
  if (standing !== 'trusted') throw new AppError('forbidden', `This agent was ${standing}.`);
}

/** Those of the agents that are revoked, retired, or erased with their row. */
async function findGone(relational: Relational, tenant: TenantId, ids: readonly string[]): Promise<string[]> {
  return await relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ id: string }>(
      'SELECT id FROM agents WHERE id = ANY($1::uuid[]) AND revoked_at IS NULL AND retired_at IS NULL',
      [ids],
    );
    const trusted = new Set(rows.map((row) => row.id));
    return ids.filter((id) => !trusted.has(id));
  });
}

/** The agents believed now. Each certificate is checked in full once; revocation reaches what is cached and what is open at once. */
export function createAgentVerifier({ relational, authority, clock }: VerifyDeps) {
  const cache = createAgentCache();
  const standingOf = createStandingReader(relational);
  const listeners = new Set<OnRevoked>();
  // Rises with every revocation: what was read from the database before it is not believed after it.
  let epoch = 0;

  const forget: OnRevoked = (tenant, agentId) => {
    epoch += 1;
    cache.dropAgent(tenant, agentId);
    for (const onRevoked of listeners) onRevoked(tenant, agentId);
  };

  const refuseExpired = (agent: VerifiedAgent) => {
    if (agent.notAfterMs > clock.now()) return;
    cache.drop(agent.fingerprint);
    throw new AppError('unauthorized', 'The certificate has expired: renew it.');
  };

  const verifyInFull = async (certificate: Buffer, fingerprint: string): Promise<VerifiedAgent> => {
    const { tenant, agentId, notAfterMs } = readAgentCertificate(certificate, TRUST_DOMAIN);
    // The name of the issuer was compared; its key is what proves it.
    if (!(await authority.isIssuedBy(tenant, new X509Certificate(certificate)))) {
      throw new AppError('unauthorized', "The client certificate was not issued by its tenant's authority.");
    }
    const agent: VerifiedAgent = { tenant, agentId, fingerprint, notAfterMs };
    refuseExpired(agent);
    for (let tries = 0, before = -1; before !== epoch; tries += 1) {
      if (tries > 20) throw new AppError('unavailable', 'Too many revocations at once; try again.', { retryAfterSeconds: 1 });
      before = epoch;
      refuseGone(await standingOf(agent.tenant, agent.agentId));
    }
    cache.keep(agent);
    return agent;
  };

  return {
    /** The agent of a certificate (DER) whose chain TLS has checked; throws AppError as the gRPC edge documents. */
    async verify(certificate: Buffer): Promise<VerifiedAgent> {
      const fingerprint = sha256Hex(certificate);
      const known = cache.get(fingerprint);
      if (!known) return await verifyInFull(certificate, fingerprint);
      refuseExpired(known);
      return known;
    },
    forget,
    /** Asks the database again about every agent of the cache: notifications may have been missed. */
    async recheckAll(): Promise<void> {
      epoch += 1;
      for (const [tenant, ids] of cache.idsByTenant()) {
        for (const id of await findGone(relational, tenant, ids)) forget(tenant, id);
      }
    },
    watchRevoked: (onRevoked: OnRevoked): void => void listeners.add(onRevoked),
  };
}

export type AgentVerifier = ReturnType<typeof createAgentVerifier>;
