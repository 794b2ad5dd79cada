import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../ui/preferences/stored.ts';

export type ThemeChoice = 'light' | 'dark' | 'system';
const KEY = 'svc.theme';
const listeners = new Set<() => void>();
const media = matchMedia('(prefers-color-scheme: dark)');

const readChoice = (): ThemeChoice => {
  const stored = readStored(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
};

const resolve = (): 'light' | 'dark' => {
  const choice = readChoice();
  if (choice !== 'system') return choice;
  return media.matches ? 'dark' : 'light';
};

function apply(): void {
  document.documentElement.dataset.theme = resolve();
  for (const listener of listeners) listener();
}

media.addEventListener('change', apply);

export function chooseTheme(choice: ThemeChoice): void {
  writeStored(KEY, choice);
  apply();
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** What the person chose, and what is drawn now. */
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, readChoice);
export const useTheme = (): 'light' | 'dark' => useSyncExternalStore(subscribe, resolve);
