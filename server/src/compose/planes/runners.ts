import { formatHostPort, systemClock } from '#kernel';
import { readRunnerEnvironment } from '../../config.ts';
import { openRunnerProcess } from '../../features/runners/built-in/open-process.ts';
import { createRunners, type TestsThread } from '../../features/runners/index.ts';
import { VERSION } from '../../process/build-info.ts';
import { findOwnHosts } from '../../process/own-hosts.ts';
import { findReachableAddress } from '../../process/reachable-address.ts';
import type { Platform } from '../platform.ts';
import type { Audit, DiskShares, Fleet, Identity } from '../threads.ts';

interface RunnersThreads {
  audit: Pick<Audit, 'appendAudit'>;
  diskShares: Pick<DiskShares, 'bus'>;
  fleet: Pick<Fleet, 'runnerAuthority'>;
  identity: Pick<Identity, 'nameActors'>;
  tests: TestsThread;
}

export function composeRunners({ config, stores, tls, log }: Platform, slices: RunnersThreads) {
  const { serverUrl, grpcAddr } = findReachableAddress(config);
  return createRunners({
    relational: stores.relational,
    bus: slices.diskShares.bus,
    appendAudit: slices.audit.appendAudit,
    nameActors: slices.identity.nameActors,
    // Made after this slice, asked for once all are there.
    tests: () => slices.tests,
    openRunner: openRunnerProcess({
      settings: { allow: config.runners.targetsAllow, chromium: config.runners.chromium, ...findOwnHosts(config) },
      env: readRunnerEnvironment(),
      log,
    }),
    authority: slices.fleet.runnerAuthority,
    serverUrl,
    grpcAddr: formatHostPort(grpcAddr),
    grpcCa: tls.ca ?? '',
    enrollRatePerMinute: config.enrolment.enrollRatePerMin,
    pin: tls.pin,
    version: VERSION,
    clock: systemClock,
    log,
  });
}
