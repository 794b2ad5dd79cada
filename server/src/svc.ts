import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { printable } from '@svc/contracts/words/printable';
import { pino } from 'pino';
import { AppError, systemClock } from '#kernel';
import { createAdminLinkCommand } from './cli/admin-link.ts';
import { createQuarantineCommands } from './cli/bus-quarantine.ts';
import { createCanaryCommands } from './cli/canary.ts';
import { type Command, runCommandLine } from './cli/command.ts';
import { createEnrollTokenCommand } from './cli/enroll-token.ts';
import { createGenCertCommand } from './cli/gen-cert.ts';
import { createMcpCommand } from './cli/mcp.ts';
import { createMigrateCommand } from './cli/migrate.ts';
import { createOtlpTokenCommand } from './cli/otlp-token.ts';
import { createReleaseCommands } from './cli/release.ts';
import { createHttpsClient, createRestClient, type RestClientOptions } from './cli/rest-client.ts';
import { createRunnerTokenCommand } from './cli/runner-token.ts';
import {
  createTenantCreateCommand,
  createTenantEraseCommand,
  createTenantListCommand,
  createTenantSetCommand,
} from './cli/tenant.ts';
import { createTenantExportCommand } from './cli/tenant-export.ts';
import { createTestCommands } from './cli/tests.ts';
import { createTokenCreateCommand } from './cli/token.ts';
import { createVerifyAuditCommand } from './cli/verify-audit.ts';
import { type Config, loadConfig } from './config.ts';
import { VERSION } from './process/build-info.ts';
import { openDataDir } from './process/data-dir.ts';
import { makeCertificate } from './process/local-tls.ts';
import { reportFailure } from './process/report-failure.ts';

// A command's standard output is its answer; what the stores log stays out of it unless it is a fault.
const log = pino({ level: 'error' }, pino.destination(2));

/** Read at the first need, so that --help works whatever the environment holds. */
const configured = (() => {
  let config: Config | undefined;
  return () => {
    config ??= loadConfig();
    return config;
  };
})();

// Loaded at the first need: the help and a usage error come at once.
const tied = async () => (await import('./compose/cli.ts')).composeCli(configured(), log);

const canary = async () => await import('@svc/runner/remote/run-canary');

const canaryStateFolder = (): string => configured().runners.canaryStateDir ?? join(configured().dataDir, 'canary');

/** The first signal of those that ask a process to end. */
const untilStopped = async (): Promise<void> =>
  await new Promise((resolve) => {
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

/** A control plane anywhere, with SVC_TOKEN. */
function reach({ server, caFile }: { server: string | undefined; caFile: string | undefined }): RestClientOptions {
  const token = configured().testsClient.token?.reveal();
  if (token === undefined) throw new AppError('bad_request', 'SVC_TOKEN is missing: an API token (svc_pat_...) of the tenant.');
  return { server: server ?? configured().publicUrl, token, caFile };
}

const releaseFiles = async () => (await import('./features/releases/release-files.ts')).releaseFiles;

async function makeOwnCertificate(hosts: readonly string[]) {
  const config = configured();
  const dataDir = openDataDir(config.dataDir);
  try {
    return await makeCertificate(dataDir, hosts.length > 0 ? hosts : config.tls.hosts);
  } finally {
    dataDir.release();
  }
}

const serveCommand: Command = {
  name: 'serve',
  summary: 'Runs the control plane.',
  details: 'On embedded stores in SVC_DATA_DIR unless SVC_DATABASE_URL, SVC_CLICKHOUSE_URL and SVC_KAFKA_BROKERS name others.',
  async run() {
    const [{ composition }, { serve }] = await Promise.all([import('./compose/index.ts'), import('./process/serve.ts')]);
    process.exitCode = await serve(composition);
  },
};

const commands: readonly Command[] = [
  serveCommand,
  createMigrateCommand({
    migrateStores: async () => await (await import('./process/migrate-stores.ts')).migrateStores(configured(), log),
  }),
  createGenCertCommand({ makeCertificate: makeOwnCertificate }),
  createTenantCreateCommand({
    withRelational: async (work) => await (await tied()).withRelational(work),
    appendAudit: async (...entry) => await (await tied()).appendAudit(...entry),
  }),
  createTenantListCommand({ withRelational: async (work) => await (await tied()).withRelational(work) }),
  createTenantSetCommand({ setConsent: async (...wanted) => await (await tied()).setConsent(...wanted) }),
  createTenantExportCommand({ exportTenant: async (...wanted) => await (await tied()).exportTenant(...wanted) }),
  createTenantEraseCommand({ eraseTenant: async (tenant) => await (await tied()).eraseTenant(tenant) }),
  createAdminLinkCommand({ withIdentity: async (work) => await (await tied()).withIdentity(work) }),
  createTokenCreateCommand({ withIdentity: async (work) => await (await tied()).withIdentity(work), now: systemClock.now }),
  createEnrollTokenCommand({ withFleet: async (work) => await (await tied()).withFleet(work), now: systemClock.now }),
  createOtlpTokenCommand({
    mintOtlpToken: async (...token) => await (await tied()).mintOtlpToken(...token),
    now: systemClock.now,
  }),
  createRunnerTokenCommand({
    mintRunnerToken: async (...wanted) => await (await tied()).mintRunnerToken(...wanted),
    now: systemClock.now,
  }),
  ...createCanaryCommands({
    enrolHere: async (wanted) =>
      await (await canary()).enrolHere({ ...wanted, stateFolder: canaryStateFolder(), version: VERSION }),
    runHere: async (wanted) =>
      await (await canary()).runHere({
        ...{ ...wanted, stateFolder: canaryStateFolder(), version: VERSION },
        allow: configured().runners.targetsAllow,
        chromium: configured().runners.chromium,
      }),
    untilStopped,
  }),
  ...createQuarantineCommands({ withQuarantine: async (work) => await (await tied()).withQuarantine(work) }),
  ...createTestCommands({
    connect: (where) => createRestClient(reach(where)),
    readFile: async (path) => (path === '-' ? await text(process.stdin) : await readFile(path, 'utf8')),
    readStdin: async () => (process.stdin.isTTY ? '' : await text(process.stdin)),
  }),
  createMcpCommand({
    connect: (where) => createHttpsClient(reach(where)),
    openStdio: async () => (await import('./cli/stdio.ts')).openStdio(),
    warn: (line) => process.stderr.write(`${printable(line)}\n`),
  }),
  createVerifyAuditCommand({ withAudit: async (work) => await (await tied()).withAudit(work) }),
  ...createReleaseCommands({
    withReleases: async (work) => await (await tied()).withReleases(work),
    signFolder: async (...input) => await (await releaseFiles()).signFolder(...input),
    readKey: async (path) => await (await releaseFiles()).readKey(path),
    makeKey: async (path) => await (await releaseFiles()).makeKey(path),
    now: systemClock.now,
  }),
];

try {
  await runCommandLine(commands, process.argv.slice(2), (line) => process.stdout.write(`${printable(line)}\n`));
} catch (error) {
  const known = error instanceof AppError ? error : new AppError('internal', 'The command failed.', { cause: error });
  process.exitCode = reportFailure(known);
}
