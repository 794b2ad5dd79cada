import { readFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { readingOf, unavailable } from '../reading.ts';
import { parseProcNetDev, type ReadTraffic } from './traffic.ts';

/** Linux alone: macOS and Windows tell it by calls that nobody has bound yet. */
export const readTraffic: ReadTraffic = async () => {
  if (platform() !== 'linux') return unavailable('not_built');
  const text = await readFile('/proc/net/dev', 'utf8').catch(() => '');
  return readingOf(parseProcNetDev(text), 'not_supported');
};
