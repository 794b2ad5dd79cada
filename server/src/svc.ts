import { readFileSync } from 'node:fs';
import { pino } from 'pino';
import { AppError, systemClock } from '#kernel';
import { migrateTelemetry } from '#telemetry';
import { createAdminLinkCommand } from './cli/admin-link.ts';
import { type Command, runCommandLine } from './cli/command.ts';
import { createEnrollTokenCommand } from './cli/enroll-token.ts';
import { createGenCertCommand } from './cli/gen-cert.ts';
import { createMigrateCommand } from './cli/migrate.ts';
import { createTenantCreateCommand, createTenantListCommand } from './cli/tenant.ts';
import { createTokenCreateCommand } from './cli/token.ts';
import { createVerifyAuditCommand } from './cli/verify-audit.ts';
import { composeCli } from './compose-cli.ts';
import { type Config, loadConfig } from './config.ts';
import { openDataDir } from './data-dir.ts';
import { makeCertificate } from './local-tls.ts';
import { migrateDatabase } from './migrate-stores.ts';
import { findClickhouseMigrations } from './open-stores.ts';
import { reportFailure } from './report-failure.ts';
import { serve } from './serve.ts';

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

const tied = () => composeCli(configured(), log);

async function migrateStores() {
  const config = configured();
  const database = { store: 'PostgreSQL', applied: await migrateDatabase(config, log) };
  const { clickhouseUrl: url, clickhouseCaFile } = config.telemetry;
  if (!url) return [database];
  const ca = clickhouseCaFile ? { ca: readFileSync(clickhouseCaFile, 'utf8') } : {};
  const options = { dataDir: config.dataDir, migrationsDir: findClickhouseMigrations(), url: url.reveal(), log, ...ca };
  return [database, { store: 'ClickHouse', applied: await migrateTelemetry(options) }];
}

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
    process.exitCode = await serve();
  },
};

const commands: readonly Command[] = [
  serveCommand,
  createMigrateCommand({ migrateStores }),
  createGenCertCommand({ makeCertificate: makeOwnCertificate }),
  createTenantCreateCommand({
    withRelational: (work) => tied().withRelational(work),
    appendAudit: (...entry) => tied().appendAudit(...entry),
  }),
  createTenantListCommand({ withRelational: (work) => tied().withRelational(work) }),
  createAdminLinkCommand({ withIdentity: (work) => tied().withIdentity(work) }),
  createTokenCreateCommand({ withIdentity: (work) => tied().withIdentity(work), now: systemClock.now }),
  createEnrollTokenCommand({ withFleet: (work) => tied().withFleet(work), now: systemClock.now }),
  createVerifyAuditCommand({ withAudit: (work) => tied().withAudit(work) }),
];

try {
  await runCommandLine(commands, process.argv.slice(2), (line) => process.stdout.write(`${line}\n`));
} catch (error) {
  const known = error instanceof AppError ? error : new AppError('internal', 'The command failed.', { cause: error });
  process.exitCode = reportFailure(known);
}
