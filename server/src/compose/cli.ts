import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { createSealer, type Sealer } from '#crypto';
import { AppError, formatHostPort, isTenantId, systemClock, type TenantId } from '#kernel';
import { findTenant, listTenants, type Relational } from '#relational';
import { type Config, toIdentityConfig } from '../config.ts';
import { createAppendAudit } from '../features/audit/append.ts';
import { createAudit } from '../features/audit/index.ts';
import { createFleet } from '../features/fleet/index.ts';
import { createIdentity } from '../features/identity/index.ts';
import { type Attestation, attest, beginErasure, findErasure } from '../features/lifecycle/erasures.ts';
import { mintToken } from '../features/otlp-tokens/index.ts';
import { createQuarantineDesk } from '../features/quarantine/desk.ts';
import { resolveEnvelopeKey } from '../process/data-dir.ts';
import { openDatabaseBeside } from '../process/database.ts';
import { openServerTls } from '../process/local-tls.ts';
import { findServedAddresses } from '../process/served-addresses.ts';
import { composeReleaseDesk, type ReleaseDesk } from './releases.ts';

/** The trail as a command needs it: it verifies and appends, and leaves retention to the server. */
const createCliAudit = (deps: { config: Config; log: FastifyBaseLogger; sealer: Sealer }, relational: Relational) =>
  createAudit({
    relational,
    sealer: deps.sealer,
    clock: systemClock,
    nameActors: async () => new Map(),
    retentionDays: deps.config.audit.retentionDays,
    dataDir: deps.config.dataDir,
    log: deps.log,
  });

type OtlpWish = [tenant: TenantId, token: { name: string; expiresAt: Date | undefined }];

async function mintOtlpToken(relational: Relational, ...[tenant, token]: OtlpWish): Promise<{ token: string }> {
  if (!(await findTenant(relational, tenant))) throw new AppError('not_found', `There is no tenant ${tenant}.`);
  const deps = { relational, appendAudit: createAppendAudit(systemClock), clock: systemClock };
  return await mintToken(deps, tenant, { ...token, actor: { kind: 'system', id: 'cli' } });
}

const ERASURE_WAIT_MS = 60_000;

/** A running server hears of it and erases; this waits a little for the end. */
async function requestErasure(relational: Relational, tenant: TenantId): Promise<Attestation> {
  const actor = { kind: 'system', id: 'cli' } as const;
  let row = await beginErasure({ relational, appendAudit: createAppendAudit(systemClock), clock: systemClock }, tenant, actor);
  for (const end = systemClock.now() + ERASURE_WAIT_MS; !row.finished_at && systemClock.now() < end; ) {
    await sleep(500);
    row = (await findErasure(relational, tenant)) ?? row;
  }
  return attest(row);
}

type WithRelational = <T>(work: (relational: Relational) => Promise<T>) => Promise<T>;
type Desk = ReturnType<typeof createQuarantineDesk>;

const openDesk =
  (withRelational: WithRelational, sealerOf: () => Sealer) =>
  async <T>(work: (desk: Desk) => Promise<T>): Promise<T> => {
    const deps = { sealer: sealerOf(), appendAudit: createAppendAudit(systemClock), clock: systemClock };
    return await withRelational(async (relational) => await work(createQuarantineDesk({ ...deps, relational })));
  };

/** The slices as the command line uses them: beside a running server or alone, on the database only, never on bus or column store. */
export function composeCli(config: Config, log: FastifyBaseLogger) {
  const folder = { path: config.dataDir, join: (...parts: string[]) => join(config.dataDir, ...parts), release: () => {} };

  async function withRelational<T>(work: (relational: Relational) => Promise<T>): Promise<T> {
    const opened = await openDatabaseBeside(config, log);
    try {
      return await work(opened.relational);
    } finally {
      await opened.close();
    }
  }

  const auditOf = (relational: Relational) => createCliAudit({ config, log, sealer: sealerOf() }, relational);
  const sealerOf = () => createSealer(resolveEnvelopeKey(folder, config.server.envelopeKey?.reveal()));

  const identityOf = (relational: Relational) =>
    createIdentity({
      relational,
      appendAudit: auditOf(relational).appendAudit,
      sealer: sealerOf(),
      clock: systemClock,
      config: { ...toIdentityConfig(config), publicUrl: findServedAddresses(config).publicUrl },
      buildTag: config.buildTag,
      log,
    });

  async function fleetOf(relational: Relational) {
    const tls = await openServerTls(config.tls, folder);
    const { serverUrl, grpcAddr, isReachable } = findServedAddresses(config);
    const unused = () => Promise.reject(new AppError('internal', 'The command line does not change agents.'));
    return createFleet({
      relational,
      sealer: sealerOf(),
      appendAudit: auditOf(relational).appendAudit,
      writeAgentCopies: unused,
      removeAgentCopies: unused,
      describeTenant: unused,
      log,
      clock: systemClock,
      serverUrl,
      reachable: isReachable,
      grpcAddr: formatHostPort(grpcAddr),
      grpcCa: tls.ca ?? '',
      pin: tls.pin,
      seedTargets: { trace: [], session: [] },
      enrollRatePerMinute: 0,
    });
  }

  return {
    eraseTenant: (tenant: TenantId) => withRelational((relational) => requestErasure(relational, tenant)),
    mintOtlpToken: (...wish: OtlpWish) => withRelational((relational) => mintOtlpToken(relational, ...wish)),
    withReleases: <T>(work: (releases: ReleaseDesk) => Promise<T>) =>
      withRelational(async (relational) => await work(composeReleaseDesk(config, relational))),
    withRelational,
    withQuarantine: openDesk(withRelational, sealerOf),
    appendAudit: createAppendAudit(systemClock),
    withIdentity: <T>(work: (identity: ReturnType<typeof identityOf>) => Promise<T>) =>
      withRelational(async (relational) => await work(identityOf(relational))),
    withFleet: <T>(work: (fleet: Awaited<ReturnType<typeof fleetOf>>) => Promise<T>) =>
      withRelational(async (relational) => await work(await fleetOf(relational))),
    withAudit: <T>(
      work: (
        audit: Pick<ReturnType<typeof auditOf>, 'verify' | 'acceptHead'> & { listTenants: () => Promise<readonly TenantId[]> },
      ) => Promise<T>,
    ) =>
      withRelational(async (relational) => {
        const { verify, acceptHead } = auditOf(relational);
        return await work({
          verify,
          acceptHead,
          listTenants: async () => (await listTenants(relational)).map(({ id }) => id).filter(isTenantId),
        });
      }),
  };
}
