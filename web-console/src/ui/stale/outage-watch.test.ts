import { keepPreviousData, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from '../../api.ts';
import { createHoldingClient } from './holding-client.ts';
import { watchOf } from './outage-watch.ts';

const START = Date.parse('2026-11-24T08:10:00Z');
const silence = new ApiError('network', 'The server did not answer.');
const refusal = new ApiError('unavailable', 'The column store does not answer.');
const fault = new ApiError('internal', 'The column store refused a statement.');

beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

/** A console with a server that answers with a count of its calls, or fails with `fault`. */
function open() {
  const client = createHoldingClient();
  const server: { fault: Error | undefined; calls: string[] } = { fault: undefined, calls: [] };
  const show = (key: readonly unknown[], options: { pollMs?: number; shell?: boolean } = {}) => {
    const of = (queryKey: readonly unknown[]) => ({
      queryKey,
      queryFn: async () => {
        server.calls.push(queryKey.join(' '));
        await new Promise((resolve) => setTimeout(resolve, 10));
        if (server.fault) throw server.fault;
        return server.calls.length;
      },
      placeholderData: keepPreviousData,
      meta: { shell: options.shell ?? false },
    });
    const observer = new QueryObserver(client, of(key));
    const poll = options.pollMs && setInterval(() => void observer.refetch({ cancelRefetch: false }), options.pollMs);
    const close = observer.subscribe(() => {});
    return {
      change: (next: readonly unknown[]) => observer.setOptions(of(next)),
      data: () => observer.getCurrentResult().data,
      isError: () => observer.getCurrentResult().isError,
      close: () => {
        clearInterval(poll);
        close();
      },
    };
  };
  return { client, server, show, watch: watchOf(client), outage: () => watchOf(client).read() };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

it('keeps what a poll shows while the server is silent, and says since when', async () => {
  const { server, show, outage } = open();
  const list = show(['endpoint.list'], { pollMs: 12_000 });
  await pass(1000);
  expect([list.data(), outage()]).toEqual([1, undefined]);
  server.fault = silence;
  await pass(60_000);
  expect([list.data(), list.isError()]).toEqual([1, false]);
  const seen = outage();
  expect(seen).toMatchObject({ shownAt: START + 10, isMissing: false, isPart: false, refusal: undefined });
  expect((seen?.nextTryAt ?? 0) - Date.now()).toBeLessThanOrEqual(5000);
  server.fault = undefined;
  await pass(5100);
  expect(outage()).toBeUndefined();
  expect(list.data()).toBeGreaterThan(1);
});

it('says nothing of a single failure that the next try mends', async () => {
  const { server, show, watch, outage } = open();
  const heard = vi.fn();
  watch.subscribe(heard);
  show(['endpoint.list'], { pollMs: 12_000 });
  await pass(11_900);
  server.fault = silence;
  await pass(300);
  server.fault = undefined;
  await pass(5000);
  expect([server.calls.length, outage(), heard.mock.calls.length]).toEqual([3, undefined, 0]);
});

it.each([silence, refusal])('keeps the answer of the question before, over all changes made meanwhile: $code', async (error) => {
  const { server, show, outage } = open();
  const device = show(['endpoint.device', 1], { pollMs: 12_000 });
  await pass(1000);
  server.fault = error;
  for (let window = 2; window < 6; window += 1) {
    device.change(['endpoint.device', window]);
    await pass(7000);
    expect(device.data()).toBe(1);
    expect(outage()).toMatchObject({ shownAt: START + 10, since: START + 1010, isEarlier: true, isMissing: false });
    // The first moments of a new window are the same outage, not its end.
    device.change(['endpoint.device', window + 100]);
    await pass(1);
    expect(outage()).toMatchObject({ since: START + 1010 });
  }
  server.fault = undefined;
  await pass(5100);
  expect(outage()).toBeUndefined();
});

it('waits without an error for what never came, and tells it from what did', async () => {
  const { server, show, outage } = open();
  server.fault = silence;
  const list = show(['endpoint.list']);
  await pass(20_000);
  expect(list.isError()).toBe(false);
  expect(outage()).toMatchObject({ shownAt: undefined, isMissing: true, isEmpty: true });
  server.fault = undefined;
  await pass(5100);
  expect(list.data()).toBeGreaterThan(1);
  expect(outage()).toBeUndefined();
});

it('asks all that waits as soon as one is answered', async () => {
  const { server, show } = open();
  show(['a']);
  await pass(2500);
  show(['b']);
  await pass(100);
  server.fault = silence;
  show(['c']);
  await pass(3000);
  show(['d']);
  await pass(9000);
  server.fault = undefined;
  server.calls.length = 0;
  await pass(5000);
  expect(server.calls.toSorted()).toEqual(['c', 'd']);
});

it('tries now all that waits, with an answer to show or without', async () => {
  const { server, show, watch, outage } = open();
  const list = show(['endpoint.list'], { pollMs: 12_000 });
  await pass(1000);
  server.fault = silence;
  await pass(20_000);
  const never = show(['endpoint.device']);
  await pass(10_000);
  expect(outage()).toMatchObject({ isMissing: true, isEmpty: false });
  server.fault = undefined;
  watch.tryNow();
  await pass(50);
  expect([list.data(), never.data()]).toEqual([expect.any(Number), expect.any(Number)]);
  expect(outage()).toBeUndefined();
});

it.each([refusal, fault])('keeps what is shown where the server refuses, gives its words, and asks again', async (error) => {
  const { server, show, outage } = open();
  const list = show(['endpoint.list']);
  const other = show(['logs.list'], { pollMs: 4000 });
  await pass(1000);
  server.fault = error;
  await pass(30_000);
  expect([list.data(), other.data()]).toEqual([2, 2]);
  expect(outage()).toMatchObject({ refusal: error.message, isMissing: false });
  server.fault = undefined;
  await pass(11_000);
  expect(outage()).toBeUndefined();
  expect(other.data()).toBeGreaterThan(2);
});

it('leaves to the page what the server refuses to answer at all', async () => {
  const { server, show, outage } = open();
  for (const error of [fault, new ApiError('query_limit', 'The query took longer than allowed. Narrow the time range.')]) {
    server.fault = error;
    const first = show(['traces.list', error.message]);
    await pass(1500);
    expect(outage()).toBeUndefined();
    await pass(10_000);
    expect([first.isError(), outage()]).toEqual([true, undefined]);
  }
  server.fault = new ApiError('forbidden', 'Your role cannot read this.');
  const second = show(['audit.list']);
  await pass(100);
  expect([second.isError(), outage()]).toEqual([true, undefined]);
});

it('is over once nothing on screen waits any more', async () => {
  const { server, show, outage } = open();
  server.fault = silence;
  const list = show(['endpoint.list']);
  await pass(5000);
  expect(outage()).toBeDefined();
  list.close();
  await pass(100);
  expect(outage()).toBeUndefined();
});

it('tells a part from the whole, and the shell from the page', async () => {
  const { server, show, outage } = open();
  show(['endpoint.summary'], { pollMs: 12_000, shell: true });
  await pass(1000);
  server.fault = silence;
  show(['endpoint.list']);
  await pass(20_000);
  expect(outage()).toMatchObject({ isMissing: true, isEmpty: true, isPart: false, shownAt: START + 10 });
});

it('takes its time against a bound of requests', async () => {
  const { server, show } = open();
  server.fault = new ApiError('rate_limited', 'Too many requests.');
  show(['endpoint.list']);
  await pass(60_500);
  expect(server.calls.length).toBe(5);
});
