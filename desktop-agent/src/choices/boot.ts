import { readFile } from 'node:fs/promises';
import type { AgentClock } from '../clock.ts';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const ROUGHLY_MS = 120_000;

/**
 * Names this run of the machine, so that a steady clock is compared only with itself: the kernel's own name where there is one,
 * else the moment of the boot as the date tells it, which a changed date changes too.
 */
export async function readBoot(clock: AgentClock): Promise<string> {
  const id = await readFile(BOOT_ID, 'utf8').catch(() => '');
  return id.trim() || `at ${Math.round((clock.now() - clock.steady()) / ROUGHLY_MS)}`;
}
