import { setTimeout as sleep } from 'node:timers/promises';
import { type Credentials, needsRenewal, renew } from '@svc/desktop-agent/headless';
import type { Device } from './domain/device.ts';
import { enrolDevice, type FleetSettings, isFinal } from './simulated-agent.ts';

const AT_ONCE = 8;
const TRIES = 5;

export interface Enrolling {
  known: ReadonlyMap<string, Credentials>;
  onProgress(done: number): void;
  signal: AbortSignal;
}

/** What was enrolled before is used again; its certificate is renewed, or the same key enrolled anew where the server forgot it. */
async function identify(device: Device, fleet: FleetSettings, known: Credentials | undefined): Promise<Credentials> {
  if (!known) return await enrolDevice(device, fleet);
  if (!needsRenewal(known.identity, fleet.now())) return known;
  try {
    return await renew({ credentials: known });
  } catch (error) {
    if (!isFinal(error)) throw error;
    return await enrolDevice(device, fleet, known.keyPem);
  }
}

async function withTries(work: () => Promise<Credentials>, signal: AbortSignal): Promise<Credentials> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= TRIES || isFinal(error)) throw error;
      await sleep(500 * attempt, undefined, { signal });
    }
  }
}

/** Credentials of every device, in the fleet's order; eight at once. Throws AgentError when one cannot be had. */
export async function enrolFleet(devices: readonly Device[], fleet: FleetSettings, enrolling: Enrolling): Promise<Credentials[]> {
  const all: Credentials[] = [];
  let next = 0;
  let done = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < devices.length; at = next++) {
      enrolling.signal.throwIfAborted();
      const device = devices[at] as Device;
      all[at] = await withTries(() => identify(device, fleet, enrolling.known.get(device.name)), enrolling.signal);
      done += 1;
      enrolling.onProgress(done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return all;
}
