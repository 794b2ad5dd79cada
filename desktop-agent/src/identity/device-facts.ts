import type { AgentConfig } from '../config.ts';
import type { HostFacts } from './bare-facts.ts';
import type { DeviceFacts } from './enroll.ts';

/** What this device says of itself when it enrols; what its own configuration withholds is left out. */
export function deviceFacts(config: Readonly<AgentConfig>, facts: HostFacts, version: string): DeviceFacts {
  const { collect } = config;
  return {
    agent_version: version,
    os: facts.os,
    arch: facts.arch,
    ...(collect.deviceName && facts.deviceName ? { device_name: facts.deviceName } : {}),
    ...(collect.hostFacts && facts.osVersion ? { os_version: facts.osVersion } : {}),
    ...(collect.hostFacts && facts.model ? { model: facts.model } : {}),
    ...(config.site ? { site: config.site } : {}),
    ...(config.ownerEmail ? { owner_email: config.ownerEmail } : {}),
  };
}
