import { join } from 'node:path';
import { loadConfig } from '../config.ts';
import { createIdentityStore } from '../identity/identity-store.ts';
import { createLedgerIndex } from '../publish/ledger-index.ts';
import type { Command, CommandIo } from './command.ts';
import { EXIT_NOT_RUNNING, EXIT_UNKNOWN } from './exit-code.ts';
import { type FoundService, findService } from './find-service.ts';
import type { StatusReport } from './status-report.ts';

type Reporting = typeof import('./status-report.ts');

const START: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'Start it with "systemctl start svc-agent" where it is a service of this machine, or with "svc-agent run".',
  darwin:
    'Start it with "sudo launchctl kickstart system/org.network-observability.agent.daemon" where it is a service of this machine, or with "svc-agent run".',
  win32: 'Start it with "sc.exe start svc-agent" where it is a service of this machine, or with "svc-agent run".',
};

async function askService(found: FoundService & { kind: 'running' }, { reportOf }: Reporting): Promise<StatusReport> {
  const { client } = found;
  try {
    const [state, about, ledger] = await Promise.all([
      client.call('watch', {}),
      client.call('about', {}),
      client.call('ledger', { limit: 1 }),
    ]);
    return reportOf({ version: client.version, state, about, ledger }, Date.now());
  } finally {
    client.close();
  }
}

async function readKept(found: FoundService & { kind: 'stopped' | 'unknown' }, io: CommandIo): Promise<StatusReport> {
  const { stateDir } = found;
  const { lastSentOf, reportOfKept } = await import('./status-report.ts');
  // Of another user's nothing can be read; a damaged identity is told by the service itself.
  const held = await createIdentityStore(join(stateDir, 'identity'))
    .load()
    .catch(() => undefined);
  const page = await createLedgerIndex(join(stateDir, 'ledger'), Date.now)
    .page({ limit: 1 })
    .catch(() => undefined);
  return reportOfKept({
    running: found.kind === 'stopped' ? false : null,
    version: io.version,
    stateDir,
    server: held?.identity.server ?? null,
    agentId: held?.identity.agentId ?? null,
    lastSent: page ? lastSentOf({ ...page, entries: page.rows.map(({ at, ...row }) => ({ ...row, atMs: at })) }) : null,
    advice: found.kind === 'unknown' ? found.advice : (START[process.platform] ?? 'Start it with "svc-agent run".'),
  });
}

const EXIT = new Map<boolean | null, number>([
  [true, 0],
  [false, EXIT_NOT_RUNNING],
  [null, EXIT_UNKNOWN],
]);

export const statusCommand: Command = {
  summary: 'say whether the agent runs, what it found, and what it sent last',
  help: `svc-agent status [--json]

Asks the agent of the person who asks, else the one of this machine; as root also where that runs as another user. Prints
whether it runs, where it is enrolled, its verdict in one sentence, when it sent last, what waits, and until when it is
paused. Changes and sends nothing.

  --json   one object, for programs

Exit codes: 0 it runs, 3 it does not, 4 it may run as another user who alone may ask it; 1 it broke off, 2 bad usage.`,
  options: { json: { type: 'boolean' } },
  async run(options, io) {
    // Words and schemas are loaded for this alone, and before root becomes the service's user.
    const reporting = await import('./status-report.ts');
    const found = await findService(loadConfig());
    const report = found.kind === 'running' ? await askService(found, reporting) : await readKept(found, io);
    io.out(options.json === true ? JSON.stringify(report, null, 2) : reporting.statusText(report, Date.now()));
    return EXIT.get(report.running) ?? 1;
  },
};
