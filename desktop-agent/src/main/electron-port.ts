import { type ChildProcess, spawn } from 'node:child_process';
import type { Protocol } from 'electron';
import type { Electron } from './electron.ts';

/** What one request for a page's file is answered with. */
export interface PageAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A service that this face started. */
export interface StartedService {
  /** Resolves once it is gone. */
  exited: Promise<void>;
  /** SIGTERM. */
  stop(): void;
  /** SIGKILL, for one that does not answer. */
  kill(): void;
}

export interface ServiceStart {
  program: string;
  args: readonly string[];
  /** The Node for a child where this Electron's own is too old. */
  node: string;
  env: Record<string, string | undefined>;
}

/** The service's own bundle is built for this Node. */
const NODE_WANTED = 24;
const nodeMajor = (): number => Number(process.versions.node.split('.')[0]);

/** Serves a scheme of a session. `protocol.handle` came with Electron 25; what stood there before is deprecated since. */
export function servePages(protocol: Protocol, scheme: string, answer: (url: string) => Promise<PageAnswer>): void {
  if (typeof protocol.handle === 'function') {
    protocol.handle(scheme, async (request) => {
      const { status, headers, body } = await answer(request.url);
      return new Response(new Uint8Array(body), { status, headers });
    });
    return;
  }
  protocol.registerBufferProtocol(scheme, (request, respond) => {
    void answer(request.url).then(({ status, headers, body }) => {
      const { 'content-type': type = 'application/octet-stream', ...others } = headers;
      // The old way takes the type bare, and the characters' encoding beside it.
      const [mimeType] = type.split(';');
      respond({ statusCode: status, mimeType, charset: 'utf-8', headers: others, data: body });
    });
  });
}

/** Whether the panel that holds the icon is dark. Only newer ones tell it apart from the applications' theme. */
export function isPanelDark({ nativeTheme }: Pick<Electron, 'nativeTheme'>): boolean {
  return nativeTheme.shouldUseDarkColorsForSystemIntegratedUI ?? nativeTheme.shouldUseDarkColors;
}

function startUtility({ utilityProcess }: Pick<Electron, 'utilityProcess'>, start: ServiceStart): StartedService {
  const child = utilityProcess.fork(start.program, [...start.args], {
    serviceName: 'Network check service',
    stdio: 'inherit',
    env: start.env,
  });
  return {
    exited: new Promise((resolve) => child.once('exit', () => resolve())),
    stop: () => void child.kill(),
    // Its kill() is a SIGTERM everywhere but on Windows, where it is the end.
    kill: () => void (child.pid && process.kill(child.pid, 'SIGKILL')),
  };
}

function startChild({ node, program, args, env }: ServiceStart): StartedService {
  // The channel is the leash: when this process dies, the service sees it close and stops by itself.
  const child: ChildProcess = spawn(node, [program, ...args], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env });
  return {
    exited: new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    }),
    stop: () => void child.kill('SIGTERM'),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Starts the service: inside this Electron where its Node is new enough, else on a Node of its own. */
export function startServiceProcess(electron: Pick<Electron, 'utilityProcess'>, start: ServiceStart): StartedService {
  return nodeMajor() >= NODE_WANTED ? startUtility(electron, start) : startChild(start);
}
