import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../preferences/stored.ts';

/** One choice for all pages, remembered by the browser. */
const STORED = 'svc.changes.marks';
const listeners = new Set<() => void>();
/** Where the browser keeps nothing, the choice lasts as long as the page. */
let chosen: boolean | undefined;

const read = (): boolean => chosen ?? readStored(STORED) !== 'off';

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    // Another page reads what is stored, which another window may have changed.
    if (listeners.size === 0) chosen = undefined;
  };
}

function choose(on: boolean): void {
  chosen = on;
  writeStored(STORED, on ? 'on' : 'off');
  for (const listener of listeners) listener();
}

/** Whether charts mark changes, and how to say so: the same for every chart there is. */
export const useChangesShown = (): [boolean, (on: boolean) => void] => [useSyncExternalStore(subscribe, read), choose];
