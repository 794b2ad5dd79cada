import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import { createSealer, type Sealer } from '#crypto';
import { AppError, formatHostPort, isTenantId, type Slice, systemClock, type TenantId } from '#kernel';
import { findTenant, listTenants, type Relational } from '#relational';
import { type Config, toIdentityConfig } from '../config.ts';
import { createAppendAudit } from '../features/audit/append.ts';
import { createAudit } from '../features/audit/index.ts';
import { createFleet } from '../features/fleet/index.ts';
import { setConsent } from '../features/governance/policies.ts';
import { createIdentity } from '../features/identity/index.ts';
import { type Attestation, attest, beginErasure, findErasure } from '../features/lifecycle/erasures.ts';
import { readExport } from '../features/lifecycle/export/export-socket.ts';
import { type ExportDeps, exportAllRows, exportTenant } from '../features/lifecycle/export/export-tenant.ts';
import type { WrittenExport } from '../features/lifecycle/export/write-export.ts';
import { mintToken } from '../features/otlp-tokens/index.ts';
import { createQuarantineDesk } from '../features/quarantine/desk.ts';
import { canaryCommand, mintRunnerToken } from '../features/runners/tokens.ts';
import { findLockHolder, resolveEnvelopeKey } from '../process/data-dir.ts';
import { openDatabaseBeside } from '../process/database.ts';
import { openServerTls } from '../process/local-tls.ts';
import { findServedAddresses } from '../process/served-addresses.ts';
import { exportSocketOf } from './planes/people.ts';
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

type AuditDesk = Pick<ReturnType<typeof createCliAudit>, 'verify' | 'acceptHead'> & {
  listTenants: () => Promise<readonly TenantId[]>;
};

type OtlpWish = [tenant: TenantId, token: { name: string; expiresAt: Date | undefined }];

async function mintOtlpToken(relational: Relational, ...[tenant, token]: OtlpWish): Promise<{ token: string }> {
  if (!(await findTenant(relational, tenant))) throw new AppError('not_found', `There is no tenant ${tenant}.`);
  const deps = { relational, appendAudit: createAppendAudit(systemClock), clock: systemClock };
  return await mintToken(deps, tenant, { ...token, actor: { kind: 'system', id: 'cli' } });
}

interface ExportSource {
  relational: Relational;
  exportRows: ExportDeps['exportRows'];
  close(): Promise<void>;
}

/** A running server holds its stores alone, and gives the rows. */
async function openServedRows(config: Config, log: FastifyBaseLogger): Promise<ExportSource> {
  const { relational, close } = await openDatabaseBeside(config, log);
  return { relational, exportRows: (tenant) => readExport(exportSocketOf(config.dataDir), tenant), close };
}

/** Where none runs: all slices on all stores, composed and never started. Loaded here, since no other command needs the whole product. */
async function openRowsAlone(config: Config, log: FastifyBaseLogger): Promise<ExportSource> {
  const [{ compose }, { openStores }] = await Promise.all([import('./product.ts'), import('./stores.ts')]);
  const stores = await openStores(config, log);
  try {
    const tls = await openServerTls(config.tls, stores.dataDir);
    const product = await compose({ config, stores, tls, log });
    const close = async (): Promise<void> => {
      await product.drain();
      await stores.close();
    };
    const slices = Object.values<Slice>(product.slices);
    return { relational: stores.relational, exportRows: (tenant) => exportAllRows(slices, tenant), close };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

type RunnerTokenWish = Parameters<typeof mintRunnerToken> extends [unknown, ...infer Wish] ? Wish : never;

type ExportWish = [tenant: TenantId, out: string];

async function exportBesideOrAlone(config: Config, log: FastifyBaseLogger, [tenant, out]: ExportWish): Promise<WrittenExport> {
  const isServed = findLockHolder(config.dataDir) !== undefined;
  const { relational, exportRows, close } = await (isServed ? openServedRows : openRowsAlone)(config, log);
  try {
    const deps = { relational, exportRows, appendAudit: createAppendAudit(systemClock), clock: systemClock };
    return await exportTenant(deps, tenant, out);
  } finally {
    await close();
  }
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

async function setConsentOf(relational: Relational, [tenant, allowed]: [TenantId, boolean]): Promise<boolean> {
  if (!(await findTenant(relational, tenant))) throw new AppError('not_found', `There is no tenant ${tenant}.`);
  const deps = { relational, appendAudit: createAppendAudit(systemClock), clock: systemClock };
  return await setConsent(deps, tenant, { allowed, actor: { kind: 'system', id: 'svc' } });
}

type WithRelational = <T>(work: (relational: Relational) => Promise<T>) => Promise<T>;
type Desk = ReturnType<typeof createQuarantineDesk>;

const openDesk =
  (withRelational: WithRelational, sealerOf: () => Sealer) =>
  async <T>(work: (desk: Desk) => Promise<T>): Promise<T> => {
    const deps = { sealer: sealerOf(), appendAudit: createAppendAudit(systemClock), clock: systemClock };
    return await withRelational(async (relational) => await work(createQuarantineDesk({ ...deps, relational })));
  };

interface BesideDeps {
  config: Config;
  folder: Parameters<typeof openServerTls>[1];
  withRelational: WithRelational;
}

async function mintRunnerTokenBeside({ config, folder, withRelational }: BesideDeps, [owner, input]: RunnerTokenWish) {
  const { pin } = await openServerTls(config.tls, folder);
  const { serverUrl } = findServedAddresses(config);
  return await withRelational(async (relational) => {
    if (!(await findTenant(relational, owner.tenant))) throw new AppError('not_found', `There is no tenant ${owner.tenant}.`);
    const deps = { relational, appendAudit: createAppendAudit(systemClock), clock: systemClock, pin };
    const { token } = await mintRunnerToken(deps, owner, input);
    return { token, command: canaryCommand(serverUrl, token) };
  });
}

/** The slices as the command line uses them: beside a running server or alone, on the database only; bus and column store are opened by an export alone. */
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
      readShared: unused,
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
    mintRunnerToken: (...wish: RunnerTokenWish) => mintRunnerTokenBeside({ config, folder, withRelational }, wish),
    exportTenant: (...wish: ExportWish) => exportBesideOrAlone(config, log, wish),
    eraseTenant: (tenant: TenantId) => withRelational((relational) => requestErasure(relational, tenant)),
    mintOtlpToken: (...wish: OtlpWish) => withRelational((relational) => mintOtlpToken(relational, ...wish)),
    setConsent: (...wish: [TenantId, boolean]) => withRelational((relational) => setConsentOf(relational, wish)),
    withReleases: <T>(work: (releases: ReleaseDesk) => Promise<T>) =>
      withRelational(async (relational) => await work(composeReleaseDesk(config, relational))),
    withRelational,
    withQuarantine: openDesk(withRelational, sealerOf),
    appendAudit: createAppendAudit(systemClock),
    withIdentity: <T>(work: (identity: ReturnType<typeof identityOf>) => Promise<T>) =>
      withRelational(async (relational) => await work(identityOf(relational))),
    withFleet: <T>(work: (fleet: Awaited<ReturnType<typeof fleetOf>>) => Promise<T>) =>
      withRelational(async (relational) => await work(await fleetOf(relational))),
    withAudit: <T>(work: (audit: AuditDesk) => Promise<T>) =>
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
