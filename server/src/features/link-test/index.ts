import { LINK_TEST_BOUNDS } from '@svc/contracts/agent/link-test';
import type { FastifyBaseLogger } from 'fastify';
import { type Clock, keepsNothing, type Slice } from '#kernel';
import { createAllowance } from './domain/allowance.ts';
import { createLinkTestMount } from './ingress.ts';

export interface LinkTestSliceDeps {
  clock: Clock;
  log: FastifyBaseLogger;
}

/** Streams of each method: a test has one of both. */
const OPEN_OF_TENANT = 8;
const OPEN = 32;

/** Lets a device load its line to this server and see how long answers take meanwhile, on the click of the person in front of it. */
export function createLinkTest({ clock, log }: LinkTestSliceDeps) {
  const bounds = { perHour: LINK_TEST_BOUNDS.perHour, openOfTenant: OPEN_OF_TENANT, open: OPEN };
  return {
    name: 'link-test',
    roles: ['ingest'],
    grpc: [createLinkTestMount({ allowance: createAllowance(bounds, clock.now), log })],
    data: keepsNothing('the bytes of a load are forgotten as they come'),
  } satisfies Slice;
}
