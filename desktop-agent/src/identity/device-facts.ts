import type { Collect, Labels } from '../privacy/collect.ts';
import type { HostFacts } from './bare-facts.ts';
import type { DeviceFacts } from './enroll.ts';

/** What may leave this device. */
export interface Telling {
  collect: Readonly<Collect>;
  labels: Readonly<Labels>;
}

/** What this device says of itself when it enrols; what is withheld is left out. */
export function deviceFacts({ collect, labels }: Telling, facts: HostFacts, version: string): DeviceFacts {
  return {
    agent_version: version,
    os: facts.os,
    arch: facts.arch,
    ...(collect.deviceName && facts.deviceName ? { device_name: facts.deviceName } : {}),
    ...(collect.hostFacts && facts.osVersion ? { os_version: facts.osVersion } : {}),
    ...(collect.hostFacts && facts.model ? { model: facts.model } : {}),
    ...(labels.site ? { site: labels.site } : {}),
    ...(labels.ownerEmail ? { owner_email: labels.ownerEmail } : {}),
  };
}
