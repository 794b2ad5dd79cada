import { pickAdapter } from '../platform.ts';
import * as darwin from './darwin.ts';
import * as linux from './linux.ts';
import { createRadioWatch } from './radio-watch.ts';
import type { ReadCountedWifi, ReadWifi } from './wifi.ts';
import * as win32 from './win32.ts';

const adapter = pickAdapter<{ readWifi: ReadCountedWifi }>({ linux, darwin, win32 });

export const readWifi: ReadWifi = adapter.readWifi;

/** A reader that also tells what happened since its reading before; each keeps its own. */
export const createWifiReader = (): ReadWifi => createRadioWatch(adapter.readWifi);
