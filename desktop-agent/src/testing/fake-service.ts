import type { IpcCall, IpcEvent, IpcInput, ServiceState } from '@svc/contracts/agent/ipc';
import type { ServiceClient } from '../ipc/client.ts';
import type { StartedService } from '../main/electron-port.ts';

/** A service as a face sees it, whose answers, silence and end are a test's to choose. */
export interface FakeService {
  client: ServiceClient;
  calls: { call: IpcCall; input: unknown }[];
  /** Answers of calls; `watch` gives `state` where there is none. */
  answers: Partial<Record<IpcCall, (input: never) => unknown>>;
  emit(event: IpcEvent, value: unknown): void;
  end(): void;
}

export function createFakeService(state: ServiceState): FakeService {
  const listeners = new Map<IpcEvent, Set<(value: never) => void>>();
  let end: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const service: FakeService = {
    calls: [],
    answers: {},
    emit: (event, value) => {
      for (const listener of listeners.get(event) ?? []) listener(value as never);
    },
    end: () => end(),
    client: {
      version: '0.1.0',
      closed,
      close: () => end(),
      on(event, listener) {
        listeners.set(event, (listeners.get(event) ?? new Set()).add(listener as (value: never) => void));
        return () => undefined;
      },
      async call<C extends IpcCall>(call: C, input: IpcInput<C>) {
        service.calls.push({ call, input });
        const answer = service.answers[call] ?? (call === 'watch' ? () => state : () => ({}));
        return (await answer(input as never)) as never;
      },
    },
  };
  return service;
}

export interface FakeProcess extends StartedService {
  stopped: boolean;
  killed: boolean;
  exit(): void;
}

/** A process that stays until it is told to go; `deaf` ignores a SIGTERM. */
export function createFakeProcess({ deaf = false } = {}): FakeProcess {
  let exit: () => void = () => undefined;
  const exited = new Promise<void>((resolve) => {
    exit = resolve;
  });
  const child: FakeProcess = {
    exited,
    stopped: false,
    killed: false,
    exit: () => exit(),
    stop() {
      child.stopped = true;
      if (!deaf) exit();
    },
    kill() {
      child.killed = true;
      exit();
    },
  };
  return child;
}
