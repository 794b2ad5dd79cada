import type { KeptFile } from '../kept-file.ts';
import { COLLECT_KEYS, type Collect } from '../privacy/collect.ts';

/** Nothing is kept back. */
export const ALL_ON: Readonly<Collect> = { ssid: true, gatewayIp: true, deviceName: true, hostFacts: true, publicHops: true };

/** The identifiers that the person at the device keeps back; on: policy and configuration decide. */
export interface Switches {
  current(): Readonly<Collect>;
  /** In force before it is on disk; rejects where it could not be kept. */
  set(item: keyof Collect, on: boolean): Promise<void>;
}

export async function openSwitches(file: KeptFile): Promise<Switches> {
  const kept = (await file.read()) as Partial<Record<string, unknown>> | null | undefined;
  let current: Readonly<Collect> = { ...ALL_ON };
  for (const key of COLLECT_KEYS) if (kept?.[key] === false) current = { ...current, [key]: false };
  return {
    current: () => current,
    set(item, on) {
      current = { ...current, [item]: on };
      return file.write(current);
    },
  };
}
