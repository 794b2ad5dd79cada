import { pickAdapter } from '../platform.ts';
import * as darwin from './darwin.ts';
import * as linux from './linux.ts';
import type { ReadSeatUser } from './seat.ts';
import * as win32 from './win32.ts';

const adapter = pickAdapter({ linux, darwin, win32 });

export const readSeatUser: ReadSeatUser = adapter.readSeatUser;
