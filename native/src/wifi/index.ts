import { pickAdapter } from '../platform.ts';
import * as darwin from './darwin.ts';
import * as linux from './linux.ts';
import type { ReadWifi } from './wifi.ts';
import * as win32 from './win32.ts';

const adapter = pickAdapter<{ readWifi: ReadWifi }>({ linux, darwin, win32 });

export const readWifi: ReadWifi = adapter.readWifi;
