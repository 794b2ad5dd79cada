import { sha256Hex } from '#crypto';
import type { Speakers, VerifiedAgent } from '#edge';
import { AppError, isTenantId, type TenantId } from '#kernel';
import { REVOKED_CHANNEL } from '../change.ts';
import type { RunnersDeps } from '../context.ts';

const MAX_CACHED = 10_000;

type Revoked = (tenant: TenantId, id: string) => void;

/** The runners believed now: each certificate is checked in full once; a removal reaches what is cached and what is open at once. */
export function createRunnerVerifier({ relational, authority, clock }: RunnersDeps) {
  const cache = new Map<string, VerifiedAgent>();
  const listeners = new Set<Revoked>();
  // Rises with every removal: what was read from the database before it is not believed after it.
  let epoch = 0;

  const forget: Revoked = (tenant, id) => {
    epoch += 1;
    for (const [fingerprint, runner] of cache) if (runner.tenant === tenant && runner.agentId === id) cache.delete(fingerprint);
    for (const listener of listeners) listener(tenant, id);
  };

  const isTrusted = async (tenant: TenantId, id: string): Promise<boolean | undefined> => {
    const text = 'SELECT revoked_at IS NULL AS trusted FROM runners WHERE id = $1';
    const { rows } = await relational.withSystemSql(tenant, (sql) => sql.query<{ trusted: boolean }>(text, [id]));
    return rows[0]?.trusted;
  };

  async function verifyInFull(certificate: Buffer, fingerprint: string): Promise<VerifiedAgent> {
    const { tenant, runnerId, notAfterMs } = await authority.identify(certificate);
    for (let before = -1; before !== epoch; ) {
      before = epoch;
      const trusted = await isTrusted(tenant, runnerId);
      if (trusted === undefined) throw new AppError('not_found', 'This runner is unknown here. Enrol it.');
      if (!trusted) throw new AppError('forbidden', 'This runner was removed.');
    }
    const runner: VerifiedAgent = { tenant, agentId: runnerId, fingerprint, notAfterMs };
    if (cache.size >= MAX_CACHED) cache.delete(cache.keys().next().value as string);
    cache.set(fingerprint, runner);
    return runner;
  }

  /** Asks the database again about all: notifications may have been missed, or rows are gone. */
  async function recheck(): Promise<void> {
    for (const { tenant, agentId } of [...cache.values()]) if (!(await isTrusted(tenant, agentId))) forget(tenant, agentId);
  }

  const speakers = {
    async verify(certificate: Buffer): Promise<VerifiedAgent> {
      const fingerprint = sha256Hex(certificate);
      const known = cache.get(fingerprint);
      if (!known) return await verifyInFull(certificate, fingerprint);
      if (known.notAfterMs > clock.now()) return known;
      cache.delete(fingerprint);
      throw new AppError('unauthorized', 'The certificate has expired: renew it.');
    },
    onUpgradeRequired({ tenant, agentId }: VerifiedAgent): void {
      relational
        .withSystemSql(tenant, (sql) => sql.query('UPDATE runners SET upgrade_required = true WHERE id = $1', [agentId]))
        .catch(() => {});
    },
    watchRevoked: (listener: Revoked): void => void listeners.add(listener),
  } satisfies Speakers;

  return {
    speakers,
    recheck,
    /** Hears of removals by other replicas; gives what ends it. */
    start: async (onFailed: (error: unknown) => void): Promise<() => Promise<void>> =>
      await relational.listen(REVOKED_CHANNEL, (payload) => {
        const [tenant = '', id = ''] = payload.split('/');
        if (isTenantId(tenant) && id !== '') forget(tenant, id);
        else recheck().catch(onFailed);
      }),
  };
}

export type RunnerVerifier = ReturnType<typeof createRunnerVerifier>;
