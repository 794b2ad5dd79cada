import { arch, hostname, platform, release } from 'node:os';

/** What a device says of itself, as far as its owner lets it. Empty where it cannot be told. */
export interface HostFacts {
  deviceName: string;
  os: string;
  osVersion: string;
  arch: string;
  model: string;
}

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows', darwin: 'macos' };

/** What Node itself knows of the device. */
export const bareFacts = (): HostFacts => ({
  deviceName: hostname().slice(0, 255),
  os: SYSTEMS[platform()] ?? platform(),
  osVersion: release().slice(0, 128),
  arch: arch(),
  model: '',
});
