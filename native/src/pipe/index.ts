import type { OpenPipe } from './pipe.ts';
import * as win32 from './win32.ts';

/** Undefined where local sockets tell whose they are. */
export const openPipe: OpenPipe | undefined = process.platform === 'win32' ? win32.openPipe : undefined;
