import { arch, hostname, platform, release } from 'node:os';
import { osInfo, system } from 'systeminformation';

/** What a device says of itself, as far as its owner lets it. Empty where it cannot be told. */
export interface HostFacts {
  deviceName: string;
  os: string;
  osVersion: string;
  arch: string;
  model: string;
}

const VIRTUAL = /^(default string|to be filled|system product name|none|not specified)/i;

/** Reads operating system and model; systeminformation blocks for up to a second, so this belongs into a chore. */
export async function readHostFacts(): Promise<HostFacts> {
  const [os, machine] = await Promise.all([osInfo().catch(() => undefined), system().catch(() => undefined)]);
  const version = os ? [os.distro, os.release].filter((word) => word !== '' && word !== 'unknown').join(' ') : release();
  const model = machine
    ? [machine.manufacturer, machine.model].filter((word) => word !== '' && !VIRTUAL.test(word)).join(' ')
    : '';
  return {
    deviceName: hostname().slice(0, 255),
    os: platform() === 'win32' ? 'windows' : platform() === 'darwin' ? 'macos' : platform(),
    osVersion: (version || release()).slice(0, 128),
    arch: arch(),
    model: model.trim().slice(0, 128),
  };
}
