import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildAgent } from '../../desktop-agent/build.js';
import { copyRuntime, fetchPackage } from './fetch-package.ts';
import { koffiPackage, type Target } from './targets.ts';

/** The packages that the bundles leave outside: one with native parts, one that picks its files at run time. */
const runtimePackages = (target: Target): string[] => ['koffi', koffiPackage(target), 'systeminformation'];

/** Writes the service (svc-agent.mjs, chore.mjs) with the packages that it needs into a folder, for any system from any system. */
export async function stageAgent(folder: string, target: Target): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await buildAgent(folder);
  for (const name of runtimePackages(target)) copyRuntime(fetchPackage(name), join(folder, 'node_modules', name));
}
