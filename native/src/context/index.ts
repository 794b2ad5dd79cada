import { pickAdapter } from '../platform.ts';
import type { CreateContextReader } from './context.ts';
import * as darwin from './darwin.ts';
import * as linux from './linux.ts';
import * as win32 from './win32.ts';

const adapter = pickAdapter<{ createContextReader: CreateContextReader }>({ linux, darwin, win32 });

export const createContextReader: CreateContextReader = adapter.createContextReader;
