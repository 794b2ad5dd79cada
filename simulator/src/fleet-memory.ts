import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Credentials } from '@svc/desktop-agent/headless';
import type { KeptOnset } from './measure-device.ts';

/** What a simulated fleet remembers between runs: who its devices are and how far their past is delivered. */
export interface FleetMemory {
  seed: number;
  server: string;
  /** Unix milliseconds of the scenario's anchor. */
  anchorMs: number;
  /** Everything up to here is acknowledged; null before the first backfill is complete. Unix milliseconds. */
  deliveredToMs: number | null;
  devices: Record<string, Credentials>;
  /** What was wrong with each device when it was last judged. */
  onsets: Record<string, KeptOnset>;
}

/** The memory in a file (mode 0600: it holds the devices' keys); undefined where there is none or it is of another fleet. */
export function loadMemory(file: string, fleet: Pick<FleetMemory, 'seed' | 'server'>): FleetMemory | undefined {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as FleetMemory;
    return found.seed === fleet.seed && found.server === fleet.server && typeof found.anchorMs === 'number' ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Written beside its place and renamed, so that a crash leaves the old or the new one. */
export function saveMemory(file: string, memory: FleetMemory): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(memory), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
