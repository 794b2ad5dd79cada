import { join } from 'node:path';
import { CanaryFault } from '../canary-fault.ts';
import { openProber } from '../prober.ts';
import { openSpool } from '../spool/spool.ts';
import { type Canary, startCanary } from './canary.ts';
import { enrolCanary, renewCanary } from './enrol.ts';
import { loadCredentials, lockState, openStateFolder, saveCredentials } from './identity-store.ts';
import { openPlanFile } from './plan-file.ts';

export interface EnrolOptions {
  stateFolder: string;
  server: string;
  token: string;
  name: string | undefined;
  labels: Record<string, string>;
  version: string;
}

/** Makes this machine a runner; one that was enrolled before stays the same, by its key. Throws CanaryFault. */
export async function enrolHere({ stateFolder, ...wanted }: EnrolOptions): Promise<{ runnerId: string; tenantId: string }> {
  await openStateFolder(stateFolder);
  const release = await lockState(stateFolder);
  try {
    const before = await loadCredentials(stateFolder);
    const credentials = await enrolCanary({ ...wanted, keyPem: before?.key_pem });
    await saveCredentials(stateFolder, credentials);
    return { runnerId: credentials.runner_id, tenantId: credentials.tenant_id };
  } finally {
    await release();
  }
}

export interface RunOptions {
  stateFolder: string;
  /** SVC_TARGETS_ALLOW. */
  allow: readonly string[];
  /** SVC_CHROMIUM. */
  chromium: string | undefined;
  version: string;
  tell: (line: string) => void;
}

/** Runs the tests of this runner until it is stopped. Throws CanaryFault where it was not enrolled, or another one runs here. */
export async function runHere({
  stateFolder,
  allow,
  chromium,
  version,
  tell,
}: RunOptions): Promise<Pick<Canary, 'ended' | 'stop'>> {
  await openStateFolder(stateFolder);
  const release = await lockState(stateFolder);
  try {
    const credentials = await loadCredentials(stateFolder);
    if (!credentials) throw new CanaryFault('usage', 'This machine is no runner yet. Enrol it first: svc canary enroll --help');
    const prober = await openProber({
      allow,
      chromium,
      onInternalError: (error) => tell(`a test failed on the runner itself: ${error}`),
    });
    const spool = await openSpool({ folder: join(stateFolder, 'spool') });
    const canary = await startCanary({
      ...{ credentials, prober, spool, planFile: openPlanFile(stateFolder), version, tell },
      async renew(held) {
        const renewed = await renewCanary(held);
        // Without room for it on the disk it is good for as long as this process lives.
        await saveCredentials(stateFolder, renewed).catch((error: unknown) => tell(`the new certificate was not kept: ${error}`));
        return renewed;
      },
    });
    const stop = async (): Promise<void> => {
      await canary.stop();
      await release();
    };
    return { ended: canary.ended, stop };
  } catch (error) {
    await release();
    throw error;
  }
}
