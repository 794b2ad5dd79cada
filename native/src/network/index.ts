import { pickAdapter } from '../platform.ts';
import * as darwin from './darwin.ts';
import * as linux from './linux.ts';
import type { WatchNetwork } from './network.ts';
import * as win32 from './win32.ts';

const adapter = pickAdapter<{ watchNetwork: WatchNetwork }>({ linux, darwin, win32 });

export const watchNetwork: WatchNetwork = adapter.watchNetwork;
