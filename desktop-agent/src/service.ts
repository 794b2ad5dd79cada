import { messageOf } from './agent-error.ts';
import { createFaceCalls } from './faces/calls.ts';
import { serviceState } from './faces/service-state.ts';
import { createWatching } from './faces/watching.ts';
import { type PortLike, portChannel } from './ipc/channel.ts';
import { type FaceListener, listenForFaces } from './ipc/listen.ts';
import { listenForSeat } from './ipc/listen-seat.ts';
import { createIpcServer, type IpcServer } from './ipc/server.ts';
import type { ServiceDeps } from './service/deps.ts';
import { followNetwork } from './service/follow-network.ts';
import { printDisclosure } from './service/gate.ts';
import { hearServer } from './service/hear-server.ts';
import { mayMeasure, settings } from './service/in-force.ts';
import { type Owners, openOwners } from './service/open.ts';
import { startSchedule } from './service/schedule.ts';
import type { Settings } from './settings.ts';
import { lockState } from './state-lock.ts';

export interface AgentService {
  settings(): Settings;
  server(): string | undefined;
  /** Takes a face in over a port, beside those of the local socket. */
  attach(port: PortLike): Promise<void>;
  /** The machine goes to sleep, or woke up: what is measured next is marked. */
  notePower(power: 'suspend' | 'resume'): void;
  /** Stops measuring, sends nothing more, closes the files. What waits stays in the spool. */
  stop(): Promise<void>;
}

/** What the system names a visitor by. */
const KIND = process.platform === 'win32' ? 'session' : 'user';

/** For faces of its own user, and of whoever sits at the machine where it serves all of it. */
async function openDoors(r: Owners, server: IpcServer): Promise<FaceListener[]> {
  const { config, seat, log } = r.deps;
  let refused = 0;
  const deps = {
    server,
    onRefused(uid: number | undefined) {
      refused += 1;
      // Whoever knocks for hours must not fill the log.
      if (Number.isInteger(Math.log2(refused)))
        log(`Refused ${KIND} ${uid ?? 'unknown'} at the socket, ${refused} times so far.`);
    },
  };
  const opening = [listenForFaces({ stateDir: config.stateDir, ...deps })];
  if (seat)
    opening.push(listenForSeat({ ...seat, ...deps, onFault: (error) => log(`No window can be connected: ${messageOf(error)}`) }));
  const opened = opening.map((door) =>
    door.catch((error) => {
      log(`No window can be connected: ${messageOf(error)}`);
      return undefined;
    }),
  );
  return (await Promise.all(opened)).filter((door) => door !== undefined);
}

/** Where a system refuses the socket the agent goes on without faces. */
async function openFaces(r: Owners): Promise<{ server: IpcServer; close(): Promise<void> }> {
  const server = createIpcServer({
    version: r.deps.version,
    calls: createFaceCalls(r),
    load: () => import('@svc/contracts/agent/ipc'),
    onFailure: (call, error) => r.deps.log(`A face's ${call} failed: ${messageOf(error)}`),
    onFaces() {
      if (server.faces() === 0) r.ledgerIndex.forget();
      r.uplink.tell();
    },
  });
  const watching = createWatching(
    () => void server.emit('state', serviceState(r)),
    () => server.watchers() > 0,
  );
  r.faces.connect({
    changed: watching.changed,
    hasWindow: () => server.faces('window') > 0,
    askForProxy: (question) => server.emit('proxyWanted', question, 'window'),
  });
  const listeners = await openDoors(r, server);
  return {
    server,
    async close() {
      watching.close();
      server.close();
      await Promise.all(listeners.map((listener) => listener.close()));
    },
  };
}

/** Without a window the printed text counts as shown, at each start. */
async function discloseAtStart(r: Owners): Promise<void> {
  await printDisclosure(r);
  if (!mayMeasure(r)) r.activity.halt('nothing may be measured now');
}

/** Starts the agent: measure, attribute, minimise, spool, publish. Throws AgentError where it cannot even begin. */
export async function startService(deps: ServiceDeps): Promise<AgentService> {
  const unlock = await lockState(deps.config.stateDir);
  let r: Owners;
  try {
    r = await openOwners(deps);
  } catch (error) {
    await unlock();
    throw error;
  }
  await discloseAtStart(r);
  r.uplink.start((message) => hearServer(r, message));
  const stopSchedule = startSchedule(r);
  const stopFollowing = followNetwork(r);
  const faces = await openFaces(r);
  return {
    settings: () => settings(r),
    server: () => r.keeper.current()?.identity.server,
    attach: (port) => faces.server.accept((bounds) => portChannel(port, bounds)),
    notePower: (power) => r.waking.followPower(power),
    async stop() {
      stopFollowing();
      const roundsOver = r.rounds.stop();
      r.pause.close();
      await Promise.all([stopSchedule(), faces.close(), roundsOver, r.uplink.stop()]);
      r.sent.close();
      await Promise.all([r.spool.close(), r.ledger.close(), r.history.save()]);
      await unlock();
    },
  };
}
