import net from 'node:net';
import { createTargetGuard } from '@svc/probes/synthetic/safety/target-guard';

/** What the runner of this machine would refuse by the target alone: nothing is looked up, so a name that leads somewhere is refused when it runs. */

export interface CheckTargetOptions {
  /** SVC_TARGETS_ALLOW of this machine. */
  allow: readonly string[];
  forbiddenHosts: readonly string[];
  forbiddenNames: readonly string[];
}

/** Stands for any address where a name is judged: of a documentation network, which no machine has. */
const NOWHERE = '192.0.2.1';

/** A sentence that says why a host may not be tested; undefined: nothing is known against it. */
export function createTargetCheck({
  allow,
  forbiddenHosts,
  forbiddenNames,
}: CheckTargetOptions): (host: string) => string | undefined {
  const names = [...forbiddenHosts, ...forbiddenNames];
  const guard = createTargetGuard({ allow, forbidden: names.filter((one) => net.isIP(one) !== 0), forbiddenNames: names });
  return (host) => {
    if (net.isIP(host) !== 0) return guard.refuse(host, host)?.message;
    const isOwn = host === 'localhost' || host.endsWith('.localhost');
    return guard.refuse(isOwn ? '127.0.0.1' : NOWHERE, host)?.message;
  };
}
