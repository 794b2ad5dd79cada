import { readResolvers } from '@svc/native/resolvers/index';
import { readWifi } from '@svc/native/wifi/index';
import { measureGateway } from '@svc/probes/gateway';
import { measurePath } from '@svc/probes/path';
import { measureResolver } from '@svc/probes/resolver';
import { measureSession } from '@svc/probes/session';
import type { ProbeSet } from './measurer.ts';

/** The probes of this machine. */
export const REAL_PROBES: ProbeSet = { readWifi, readResolvers, measureGateway, measurePath, measureResolver, measureSession };
