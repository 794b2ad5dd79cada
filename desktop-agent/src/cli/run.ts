import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createContextReader } from '@svc/native/context/index';
import { readNetworkIdentity } from '@svc/native/identity/index';
import { watchNetwork } from '@svc/native/network/index';
import { readSeatUser } from '@svc/native/seat/index';
import { AgentError, messageOf } from '../agent-error.ts';
import { systemClock } from '../clock.ts';
import { appImagePath, loadConfig, loadManaged } from '../config.ts';
import { createIdentityStore } from '../identity/identity-store.ts';
import { createManagedToken } from '../identity/managed-token.ts';
import { createTokenFromStdin } from '../identity/token-from-stdin.ts';
import type { PortLike } from '../ipc/channel.ts';
import { openKeptFile } from '../kept-file.ts';
import type { Managed } from '../managed.ts';
import { createRealProbes } from '../measure/real-probes.ts';
import { refuseOpenPlace } from '../program-owner.ts';
import type { ServiceDeps } from '../service/deps.ts';
import { type AgentService, startService } from '../service.ts';
import { type Installation, readInstallation } from '../update/installation.ts';
import type { Command, CommandIo } from './command.ts';
import { disclosureOf } from './disclosure-of.ts';
import { runAsService, type Started } from './run-as-service.ts';
import { readServerUrl } from './server-url.ts';
import { isOutputLost, withLogFile } from './unread-output.ts';

/** In a utility process of Electron a face sends the port that it speaks over. */
function takePorts(service: AgentService): void {
  const { parentPort } = process as {
    parentPort?: { on(event: 'message', listener: (event: { ports: PortLike[] }) => void): void };
  };
  parentPort?.on('message', ({ ports: [port] }) => {
    if (port) service.attach(port).catch(() => port.close());
  });
}

const offeredBy = (managed: Managed | undefined): { server: string; token: string } | undefined =>
  managed?.server !== undefined && managed.enrolToken !== undefined
    ? { server: managed.server, token: managed.enrolToken }
    : undefined;

export const runCommand: Command = {
  summary: 'measure, say what is slow and why, and send it',
  help: `svc-agent run [--enroll-stdin --server URL] [--window] [--unattended] [--seat] [--service]

Prints what is collected, then measures until it is stopped (Ctrl-C or SIGTERM). Without a connection what was
measured waits on disk and is sent later, in order.

A device that its organisation manages enrols with the token of its managed configuration.

  --enroll-stdin   read one enrol token from standard input; used where this device is not enrolled
  --server URL     the control plane that the token belongs to
  --window         a window shows what is collected: nothing is measured before it did, and nothing is printed
  --unattended     nobody reads what it prints: that goes to agent.log in the state directory and counts as shown to nobody.
                   Also where standard output leads nowhere
  --seat           a service of the machine: the window of whoever sits at it shows what is collected, and nothing is measured
                   before
  --service        Windows only: for the service manager, which starts and stops it; unattended`,
  options: {
    'enroll-stdin': { type: 'boolean' },
    server: { type: 'string' },
    window: { type: 'boolean' },
    unattended: { type: 'boolean' },
    seat: { type: 'boolean' },
    service: { type: 'boolean' },
  },
  async run(options, io) {
    const unattended = options.service === true || options.unattended === true || (options.window !== true && isOutputLost());
    if (!unattended) return await measure(options, io);
    const logged = await withLogFile(io);
    if (options.service === true)
      return await runAsService(logged, (started) => measure(options, logged, { unattended, started }));
    return await measure(options, logged, { unattended }).catch((error) => {
      logged.tell(messageOf(error));
      throw error;
    });
  },
};

type Options = Parameters<Command['run']>[0];

function seatOf(options: Options, address: string | undefined): ServiceDeps['seat'] {
  if (options.seat !== true) return undefined;
  if (address === undefined) throw new AgentError('usage', '--seat is for Linux, macOS and Windows.');
  return { address, readSeatUser };
}

interface Manner {
  unattended?: boolean;
  started?: Started;
}

/** Throws AgentError where a service of the machine would run what an ordinary user can replace. */
async function findInstallation(managed: Managed | undefined, isOfMachine: boolean): Promise<Installation> {
  const path = fileURLToPath(import.meta.url);
  const found = await readInstallation({ path, appImage: appImagePath(), isManaged: managed?.updates === 'tell' });
  // A checkout belongs to whoever works in it.
  if (found.by !== 'checkout' && (isOfMachine || process.geteuid?.() === 0)) await refuseOpenPlace([path, process.execPath]);
  return found;
}

/** Measures until it is told to stop. */
async function measure(options: Options, io: CommandIo, { unattended = false, started }: Manner = {}): Promise<number> {
  const config = loadConfig();
  const managed = loadManaged();
  const handedOver = options['enroll-stdin'] === true;
  const server = handedOver ? readServerUrl(options.server) : managed?.server;
  const held = await createIdentityStore(join(config.stateDir, 'identity')).load();
  // Behind a window it may measure for the person alone; the window says that nothing is sent.
  if (!held && !handedOver && managed?.enrolToken === undefined && options.window !== true)
    throw new AgentError('usage', 'This device is not enrolled: run "svc-agent enroll --server URL --token TOKEN" first.');
  const readToken = handedOver ? createTokenFromStdin(io.stdin) : async () => undefined;
  const seat = seatOf(options, config.seatSocket);
  const installation = await findInstallation(managed, seat !== undefined);
  const takeManaged = createManagedToken({
    file: openKeptFile(join(config.stateDir, 'managed-token.json')),
    offered: offeredBy(managed),
    isEnrolled: held !== undefined,
  });
  const service = await startService({
    config,
    version: io.version,
    runChore: io.runChore,
    probes: createRealProbes(io.runChore, systemClock),
    readContext: createContextReader(),
    watchNetwork,
    readNetworkIdentity,
    clock: systemClock,
    log: io.tell,
    installation,
    ...(server === undefined ? {} : { server }),
    ...(seat === undefined ? {} : { seat }),
    ...(options.window === true
      ? {}
      : {
          disclose(settings, to) {
            const text = disclosureOf(settings, to ?? undefined, config);
            io.out(text);
            return unattended || seat !== undefined ? undefined : text;
          },
        }),
    async takeToken() {
      const token = await readToken();
      return token === undefined || server === undefined ? await takeManaged() : { server, token };
    },
  });
  takePorts(service);
  started?.(service.notePower);
  await new Promise<void>((resolve) => {
    if (io.signal.aborted) resolve();
    io.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await service.stop();
  return 0;
}
