import type { SURFACES } from '@svc/contracts/rum/apps';
import { AppError } from '#kernel';
import type { RumContext } from './context.ts';

type Surface = (typeof SURFACES)[number];

/** Whether beacons are taken by this installation. */
export function surfaceOf({ config, registry }: Pick<RumContext, 'config' | 'registry'>): Surface {
  if (config.enabled === false) return 'shut';
  return registry.hasLive() ? 'open' : 'no_app';
}

/** What it means for a tenant, and what to do; empty where there is nothing to say. */
export const surfaceSentence = (surface: Surface): string => {
  if (surface === 'shut')
    return 'Real users are switched off here: no beacon is taken. Whoever runs this server sets SVC_RUM_ENABLED to true, or takes it out.';
  return surface === 'no_app' ? 'No app is registered yet: beacons are taken as soon as one is.' : '';
};

/** SVC_RUM_ENABLED=true without any app is a fault of the configuration. */
export function demandApps({ config, registry }: Pick<RumContext, 'config' | 'registry'>): void {
  if (config.enabled !== true || registry.hasLive()) return;
  throw new AppError('validation', 'The configuration has a fault.', {
    faults: [
      {
        path: 'SVC_RUM_ENABLED',
        message:
          'is true, and no app is registered: name one in SVC_RUM_APPS, or take SVC_RUM_ENABLED out to register one in the console.',
      },
    ],
  });
}
