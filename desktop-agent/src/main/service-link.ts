import type { IpcOutput } from '@svc/contracts/agent/ipc';
import type { ServiceLink as LinkView } from '@svc/contracts/agent/window-ipc';
import { messageOf } from '../agent-error.ts';
import type { ServiceClient } from '../ipc/client.ts';
import type { StartedService } from './electron-port.ts';

/** Waits in milliseconds; a service that ends at once is tried less and less often. */
export interface LinkTimes {
  firstMs: number;
  maxMs: number;
  /** So long a service has to stay before its next end counts as the first one. */
  steadyMs: number;
  /** So long a service that we started may take to listen. */
  startMs: number;
  /** Between two looks whether it still answers. */
  pulseMs: number;
  /** So long a service may take to stop before it is ended. */
  stopMs: number;
}
export const LINK_TIMES: LinkTimes = {
  firstMs: 1000,
  maxMs: 60_000,
  steadyMs: 60_000,
  startMs: 30_000,
  pulseMs: 60_000,
  stopMs: 15_000,
};
const LOOK_MS = 200;

export interface ServiceLinkDeps {
  connect(): Promise<ServiceClient>;
  /** Starts a service of our own; undefined where the system does that. */
  start: (() => StartedService) | undefined;
  times?: Partial<LinkTimes>;
  now(): number;
  /** Each change: the state of a service that answers, or that none does and when it is tried next. */
  onChange(link: LinkView): void;
  /** A service answered: what a face has to tell and to listen for belongs here. */
  onClient(client: ServiceClient): void;
  log(text: string): void;
}

export interface ServiceConnection {
  current(): LinkView;
  client(): ServiceClient | undefined;
  /** Lets go of the service; one that we started is stopped, and ended where it does not. */
  stop(): Promise<void>;
}

interface Linking extends ServiceLinkDeps {
  times: LinkTimes;
  view: LinkView;
  client: ServiceClient | undefined;
  child: StartedService | undefined;
  failures: number;
  over: boolean;
  wake: (() => void) | undefined;
}

function show(l: Linking, view: LinkView): void {
  l.view = view;
  if (!l.over) l.onChange(view);
}

const wait = (l: Linking, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    l.wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });

function startOwn(l: Linking): void {
  if (l.child || !l.start) return;
  const child = l.start();
  l.child = child;
  void child.exited.then(() => {
    if (l.child === child) l.child = undefined;
  });
}

/** A service that is there, else one that we start and that has come to listen; undefined where neither is. */
async function reach(l: Linking): Promise<ServiceClient | undefined> {
  const there = await l.connect().catch(() => undefined);
  if (there || !l.start || l.over) return there;
  startOwn(l);
  const limit = l.now() + l.times.startMs;
  while (l.child && !l.over && l.now() < limit) {
    await wait(l, LOOK_MS);
    const client = await l.connect().catch(() => undefined);
    if (client) return client;
  }
  // It runs and does not listen: it would measure unseen.
  l.child?.kill();
  return undefined;
}

/** Asks now and then: a service that hangs keeps its socket open. */
function takePulse(l: Linking, client: ServiceClient, onState: (state: IpcOutput<'watch'>) => void): NodeJS.Timeout {
  return setInterval(() => {
    client.call('watch', {}).then(onState, (error) => {
      l.log(`The service does not answer: ${messageOf(error)}`);
      client.close();
      l.child?.kill();
    });
  }, l.times.pulseMs);
}

async function stayWith(l: Linking, client: ServiceClient): Promise<void> {
  const since = l.now();
  const onState = (state: IpcOutput<'watch'>): void => show(l, { reachable: true, state });
  client.on('state', onState);
  const pulse = takePulse(l, client, onState);
  try {
    onState(await client.call('watch', {}));
    // Stopped meanwhile: nobody else lets go of it.
    if (l.over) return;
    l.client = client;
    l.onClient(client);
    await client.closed;
  } finally {
    clearInterval(pulse);
    l.client = undefined;
    client.close();
    if (l.now() - since >= l.times.steadyMs) l.failures = 0;
  }
}

async function run(l: Linking): Promise<void> {
  while (!l.over) {
    if (l.failures > 0) show(l, { reachable: false, nextTryMs: null });
    const client = await reach(l);
    if (l.over) return client?.close();
    if (client) await stayWith(l, client).catch((error) => l.log(`The service was lost: ${messageOf(error)}`));
    if (l.over) return;
    const delayMs = Math.min(l.times.maxMs, l.times.firstMs * 2 ** Math.min(l.failures, 20));
    l.failures += 1;
    show(l, { reachable: false, nextTryMs: l.now() + delayMs });
    await wait(l, delayMs);
  }
}

/**
 * Keeps a face with its service: looks for one that runs, starts one where nobody else does, and again with growing waits when it
 * ends. Every gap is told through `onChange`.
 */
export function keepService(deps: ServiceLinkDeps): ServiceConnection {
  const l: Linking = {
    ...deps,
    times: { ...LINK_TIMES, ...deps.times },
    view: { reachable: false, nextTryMs: null },
    client: undefined,
    child: undefined,
    failures: 0,
    over: false,
    wake: undefined,
  };
  const running = run(l).catch((error) => l.log(messageOf(error)));
  return {
    current: () => l.view,
    client: () => l.client,
    async stop() {
      l.over = true;
      l.wake?.();
      l.client?.close();
      const child = l.child;
      child?.stop();
      const limit = setTimeout(() => child?.kill(), l.times.stopMs);
      await Promise.all([running, child?.exited]);
      clearTimeout(limit);
    },
  };
}
