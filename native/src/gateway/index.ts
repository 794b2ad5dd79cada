import { pickAdapter } from '../platform.ts';
import * as darwin from './darwin.ts';
import type { FindRoute } from './gateway.ts';
import * as linux from './linux.ts';
import type { FindUnderlay } from './underlay.ts';
import * as win32 from './win32.ts';

const adapter = pickAdapter<{ findRoute: FindRoute; findUnderlay: FindUnderlay }>({ linux, darwin, win32 });

export const findRoute: FindRoute = adapter.findRoute;
export const findUnderlay: FindUnderlay = adapter.findUnderlay;
