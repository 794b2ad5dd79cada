import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { ServiceClient } from '../ipc/client.ts';
import { createDesktopNotes, type NotesDeps } from './desktop-notes.ts';

it('tells the service of the requests of this program, also of those from before it answered', () => {
  const calls: [string, unknown][] = [];
  const service = {
    async call(name: string, input: unknown) {
      calls.push([name, input]);
      return {};
    },
  } as unknown as ServiceClient;
  let client: ServiceClient | undefined;
  const powerMonitor = Object.assign(new EventEmitter(), { isOnBatteryPower: () => false });
  const notes = createDesktopNotes({
    electron: { powerMonitor, session: {} } as unknown as NotesDeps['electron'],
    client: () => client,
    hasTray: () => true,
    language: () => 'en',
  });
  const request = (atMs: number) => ({ server: 'https://monitor.example:8443', path: '/agent/releases/main/latest.json', atMs });
  for (let atMs = 1; atMs <= 150; atMs += 1) notes.sent(request(atMs));
  expect(calls).toEqual([]);
  client = service;
  notes.tell();
  const told = () => calls.filter(([name]) => name === 'noteSent').map(([, input]) => input);
  // The oldest go, so that a service which never comes does not fill the memory.
  expect(told()).toEqual(Array.from({ length: 100 }, (_, i) => request(i + 51)));
  notes.sent(request(151));
  expect(told().at(-1)).toEqual(request(151));
  expect(told()).toHaveLength(101);
});
