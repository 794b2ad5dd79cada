import { X509Certificate } from 'node:crypto';
import { readAgentCertificate } from '#crypto';
import { AppError, type Clock, type TenantId } from '#kernel';
import { type AgentAuthority, type IssuedChain, TRUST_DOMAIN } from './agent-authority.ts';

/** A runner as its certificate names it; whether it is still trusted is its owner's to say. */
export interface NamedRunner {
  tenant: TenantId;
  runnerId: string;
  notAfterMs: number;
}

/**
 * Certificates of runners, by the authority that issues agents' theirs. The name in them is of a kind of its own, so that one counts for nothing
 * where an agent is asked for.
 */
export function createRunnerAuthority({ authority, clock }: { authority: AgentAuthority; clock: Clock }) {
  return {
    issue: async ({ tenant, runnerId }: { tenant: TenantId; runnerId: string }, publicKey: Uint8Array): Promise<IssuedChain> =>
      await authority.issue({ tenant, agentId: runnerId, kind: 'runner' }, publicKey),
    /** The runner of a certificate (DER) whose chain TLS has checked; AppError `unauthorized` for any that is none of ours, or expired. */
    async identify(certificate: Buffer): Promise<NamedRunner> {
      const { tenant, agentId: runnerId, notAfterMs } = readAgentCertificate(certificate, TRUST_DOMAIN, 'runner');
      if (!(await authority.isIssuedBy(tenant, new X509Certificate(certificate))))
        throw new AppError('unauthorized', "The client certificate was not issued by its tenant's authority.");
      if (notAfterMs <= clock.now()) throw new AppError('unauthorized', 'The certificate has expired: renew it.');
      return { tenant, runnerId, notAfterMs };
    },
  };
}
