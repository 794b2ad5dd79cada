import { pickAdapter } from '../platform.ts';
import * as darwin from './darwin.ts';
import type { ReadNetworkIdentity } from './identity.ts';
import * as linux from './linux.ts';
import * as win32 from './win32.ts';

const adapter = pickAdapter<{ readNetworkIdentity: ReadNetworkIdentity }>({ linux, darwin, win32 });

export const readNetworkIdentity: ReadNetworkIdentity = adapter.readNetworkIdentity;
