import { arch, platform, release } from 'node:os';
import type { Collect } from '../privacy/collect.ts';
import { round } from '../result.ts';
import { DIAGNOSIS_VERSION, type Diagnosis, type StateFinding } from './diagnosis.ts';
import { describePermissions } from './permissions.ts';
import { type Instruments, takeReadings } from './take-readings.ts';

export interface DiagnosisInput {
  readonly agentVersion: string;
  readonly collect: Readonly<Collect>;
  readonly state: readonly StateFinding[];
}

/** Looks at everything this device can tell. Never throws. */
export async function diagnoseDevice(instruments: Instruments, input: DiagnosisInput): Promise<Diagnosis> {
  const at = new Date().toISOString();
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  const readings = await takeReadings(instruments, input.collect);
  const used = process.cpuUsage(cpu);
  return {
    version: DIAGNOSIS_VERSION,
    at,
    agent: { version: input.agentVersion, node: process.versions.node },
    system: { platform: platform(), release: release(), arch: arch() },
    readings: readings.findings,
    permissions: describePermissions(readings, platform()),
    cost: {
      cpuMs: round((used.user + used.system) / 1000),
      wallMs: round(performance.now() - startedMs),
      rssBytes: process.memoryUsage.rss(),
    },
    state: input.state,
  };
}
