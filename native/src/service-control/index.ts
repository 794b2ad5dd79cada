import type { JoinServiceManager } from './service-control.ts';
import * as win32 from './win32.ts';

/** Undefined where a service needs no word with its manager: systemd and launchd watch the process alone. */
export const joinServiceManager: JoinServiceManager | undefined =
  process.platform === 'win32' ? win32.joinServiceManager : undefined;
