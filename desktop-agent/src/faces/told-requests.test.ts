import { expect, it } from 'vitest';
import { createToldRequests } from './told-requests.ts';

const SERVER = 'https://monitor.example:8443';
const PATH = '/agent/releases/main/latest-linux.json';
const NOW = Date.parse('2026-11-25T10:00:00Z');

function open() {
  let steadyMs = 0;
  const record = createToldRequests({ server: () => SERVER, now: () => NOW, steady: () => steadyMs });
  const pass = (ms: number): void => {
    steadyMs += ms;
  };
  return { record, pass };
}

it("writes a request down at the service's time, whatever a window says", () => {
  for (const atMs of [1e300, 0, NOW + 1e12]) {
    const block = open().record({ server: SERVER, path: PATH, atMs });
    expect(block).toMatchObject({ at: NOW, kind: 'update', server: SERVER });
  }
});

it.each([
  { server: 'https://a', path: PATH },
  { server: SERVER, path: '/x' },
  { server: SERVER, path: `${PATH}\r\nhost: a` },
  { server: SERVER, path: `/agent/releases/${'x'.repeat(1000)}` },
])('writes down nothing that the window of this device would not ask for: %j', (told) => {
  expect(() => open().record({ ...told, atMs: NOW })).toThrow(/own control plane/);
});

it('takes what a window kept while the service was away, then ten a minute', () => {
  const { record, pass } = open();
  const takes = (): number => {
    let count = 0;
    for (; count < 1000; count += 1) {
      try {
        record({ server: SERVER, path: PATH, atMs: NOW });
      } catch {
        break;
      }
    }
    return count;
  };
  expect(takes()).toBe(100);
  pass(60_000);
  expect(takes()).toBe(10);
});
