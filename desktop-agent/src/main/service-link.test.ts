import type { ServiceLink } from '@svc/contracts/agent/window-ipc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeProcess, createFakeService, type FakeProcess, type FakeService } from '../testing/fake-service.ts';
import { serviceStateOf } from '../testing/service-state.ts';
import { keepService, LINK_TIMES, type ServiceConnection } from './service-link.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface StandOptions {
  own?: boolean;
  child?: () => FakeProcess;
  listening?: FakeService;
}

function stand({ own = true, child = createFakeProcess, listening }: StandOptions = {}) {
  const seen: ServiceLink[] = [];
  const started: FakeProcess[] = [];
  const here: { listening: FakeService | undefined; clients: number } = { listening, clients: 0 };
  const connection: ServiceConnection = keepService({
    connect: async () => {
      if (!here.listening) throw new Error('nobody listens');
      return here.listening.client;
    },
    start: own
      ? () => {
          const made = child();
          started.push(made);
          return made;
        }
      : undefined,
    now: Date.now,
    log: () => undefined,
    onChange: (link) => seen.push(link),
    onClient: () => {
      here.clients += 1;
    },
  });
  return { seen, started, here, connection };
}

const delays = (seen: readonly ServiceLink[], at: number[]): void => {
  const last = seen.at(-1);
  if (last && !last.reachable && last.nextTryMs !== null && at.at(-1) !== last.nextTryMs) at.push(last.nextTryMs);
};

describe('the connection of a face to its service', () => {
  it('takes a service that runs and starts none beside it', async () => {
    const listening = createFakeService(serviceStateOf());
    const { seen, started, connection } = stand({ listening });
    await vi.advanceTimersByTimeAsync(10);
    expect(seen).toEqual([{ reachable: true, state: serviceStateOf() }]);
    expect(started).toEqual([]);
    listening.emit('state', serviceStateOf({ waiting: 3 }));
    expect(connection.current()).toMatchObject({ state: { waiting: 3 } });
    await connection.stop();
  });

  it('starts one where nobody listens, and is with it once it does', async () => {
    const { started, here, connection } = stand();
    await vi.advanceTimersByTimeAsync(500);
    expect(started.length).toBe(1);
    expect(connection.client()).toBeUndefined();
    here.listening = createFakeService(serviceStateOf());
    await vi.advanceTimersByTimeAsync(500);
    expect(connection.client()).toBe(here.listening.client);
    expect(here.clients).toBe(1);
    await connection.stop();
    expect(started[0]?.stopped).toBe(true);
  });

  it('ends also while a service of others is asked for its state', async () => {
    const listening = createFakeService(serviceStateOf());
    const asked = Promise.withResolvers<ReturnType<typeof serviceStateOf>>();
    listening.answers.watch = () => asked.promise;
    const { connection } = stand({ own: false, listening });
    await vi.advanceTimersByTimeAsync(10);
    let isStopped = false;
    void connection.stop().then(() => {
      isStopped = true;
    });
    asked.resolve(serviceStateOf());
    await vi.advanceTimersByTimeAsync(10);
    expect(isStopped).toBe(true);
    expect(connection.client()).toBeUndefined();
  });

  it('waits longer each time for one that ends at once, tells when it tries next, and never more than a minute', async () => {
    const { seen, connection } = stand({
      child: () => {
        const made = createFakeProcess();
        made.exit();
        return made;
      },
    });
    const tries: number[] = [];
    for (let second = 0; second < 400; second++) {
      await vi.advanceTimersByTimeAsync(1000);
      delays(seen, tries);
    }
    const gaps = tries.slice(1).map((at, index) => Math.round((at - (tries[index] ?? 0)) / 1000));
    expect(gaps.slice(0, 5)).toEqual([2, 4, 8, 16, 32]);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(61);
    await connection.stop();
  });

  it('says at once that it was lost, and begins small again after one that stayed', async () => {
    const { seen, here, connection } = stand();
    here.listening = createFakeService(serviceStateOf());
    await vi.advanceTimersByTimeAsync(LINK_TIMES.steadyMs + 10);
    const first = here.listening;
    here.listening = undefined;
    first.end();
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.at(-1)).toMatchObject({ reachable: false });
    const last = seen.at(-1);
    expect(last && !last.reachable && last.nextTryMs).toBeLessThanOrEqual(Date.now() + LINK_TIMES.firstMs);
    here.listening = createFakeService(serviceStateOf());
    await vi.advanceTimersByTimeAsync(LINK_TIMES.firstMs + 500);
    expect(seen.at(-1)).toMatchObject({ reachable: true });
    await connection.stop();
  });

  it('ends one that was started and never listens', async () => {
    const { started, connection } = stand();
    await vi.advanceTimersByTimeAsync(LINK_TIMES.startMs + 1000);
    expect(started[0]?.killed).toBe(true);
    await connection.stop();
  });

  it('ends one that listens and does not answer', async () => {
    const { started, here, connection } = stand();
    await vi.advanceTimersByTimeAsync(300);
    here.listening = createFakeService(serviceStateOf());
    await vi.advanceTimersByTimeAsync(500);
    here.listening.answers.watch = () => Promise.reject(new Error('no answer'));
    await vi.advanceTimersByTimeAsync(LINK_TIMES.pulseMs + 10);
    expect(started[0]?.killed).toBe(true);
    await connection.stop();
  });

  it('only waits where the system starts the service', async () => {
    const { started, here, connection } = stand({ own: false });
    await vi.advanceTimersByTimeAsync(5000);
    expect(started).toEqual([]);
    here.listening = createFakeService(serviceStateOf());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(connection.current()).toMatchObject({ reachable: true });
    await connection.stop();
  });

  it('ends a service that does not stop when the face goes', async () => {
    const { started, connection } = stand({ child: () => createFakeProcess({ deaf: true }) });
    await vi.advanceTimersByTimeAsync(300);
    const stopping = connection.stop();
    await vi.advanceTimersByTimeAsync(LINK_TIMES.stopMs + 10);
    await stopping;
    expect(started[0]).toMatchObject({ stopped: true, killed: true });
  });
});
