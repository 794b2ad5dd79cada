import { join } from 'node:path';
import { openKeptFile } from '../../kept-file.ts';
import { createUsualValues, type HourMedian, type KeptUsual, type UsualValues } from './usual-values.ts';

/** What is usual by network, over restarts; it never leaves the device. */
export interface UsualStore {
  values: UsualValues;
  /** Writes at most once an hour. Never rejects: a full disk only costs what was learned since. */
  keep(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isHour = (value: unknown): value is HourMedian =>
  Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === 'number' && Number.isFinite(one));

function readNetwork(value: unknown): KeptUsual['networks'][number] | undefined {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.seenHour !== 'number' || !isObject(value.values))
    return undefined;
  const values = Object.entries(value.values).map(
    ([key, hours]) => [key, Array.isArray(hours) ? hours.filter(isHour) : []] as const,
  );
  return { id: value.id, seenHour: value.seenHour, values: Object.fromEntries(values) };
}

/** A file that is missing, damaged or of another version is as none. */
function readKept(value: unknown): KeptUsual | undefined {
  if (!isObject(value) || value.version !== 1 || !Array.isArray(value.networks)) return undefined;
  return { version: 1, networks: value.networks.flatMap((network) => readNetwork(network) ?? []) };
}

/** `now`: Unix time, milliseconds. */
export async function openUsualStore(directory: string, now: () => number): Promise<UsualStore> {
  const file = openKeptFile(join(directory, 'usual.json'));
  const values = createUsualValues(now, readKept(await file.read()));
  let writtenMs = now();
  return {
    values,
    async keep() {
      // A clock that was set back does not stop it.
      if (Math.abs(now() - writtenMs) < HOUR_MS) return;
      writtenMs = now();
      await file.write(values.keep()).catch(() => undefined);
    },
  };
}
