import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnv, root } from '../env.ts';

const svcProgram = join(root, 'server', 'dist', 'svc.js');
const simulator = join(root, 'simulator', 'src', 'main.ts');

export interface SimulatedFleet {
  /** Makes a person the administrator of the fleet's tenant, once. */
  claimLink: string;
}

/** A tenant of its own at this product, with devices that measured the last two hours, some of them slow for each cause. */
export async function simulateFleet(
  product: { url: string; dataDir: string },
  tenant: string,
  devices: number,
): Promise<SimulatedFleet> {
  const env = cleanEnv({ SVC_DATA_DIR: product.dataDir, SVC_PUBLIC_URL: product.url });
  const svc = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [svcProgram, ...args], { env });
    return stdout;
  };
  await svc('tenant', 'create', tenant, '--name', tenant, '--simulated');
  const token = (await svc('enroll-token', 'create', '--tenant', tenant, '--uses', String(devices * 2), '--quiet')).trim();
  const claimLink = /https:\S+/.exec(await svc('admin-link', '--tenant', tenant))?.[0];
  if (!claimLink) throw new Error('the command line names no link');
  const args = [simulator, '--server', product.url, '--token-file', '-', '--devices', String(devices), '--hours', '2'];
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(`${token}\n`);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`the simulated fleet ended with ${code}`);
  return { claimLink };
}
