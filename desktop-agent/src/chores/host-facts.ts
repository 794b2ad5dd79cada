import { release } from 'node:os';
import { osInfo, system } from 'systeminformation';
import { bareFacts, type HostFacts } from '../identity/bare-facts.ts';

const VIRTUAL = /^(default string|to be filled|system product name|none|not specified)/i;

/** Reads operating system and model; systeminformation blocks for up to a second, so this belongs into a chore. */
export async function readHostFacts(): Promise<HostFacts> {
  const [os, machine] = await Promise.all([osInfo().catch(() => undefined), system().catch(() => undefined)]);
  const version = os ? [os.distro, os.release].filter((word) => word !== '' && word !== 'unknown').join(' ') : release();
  const model = machine
    ? [machine.manufacturer, machine.model].filter((word) => word !== '' && !VIRTUAL.test(word)).join(' ')
    : '';
  const bare = bareFacts();
  return { ...bare, osVersion: version.slice(0, 128) || bare.osVersion, model: model.trim().slice(0, 128) };
}
