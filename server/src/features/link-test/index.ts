import { LINK_TEST_BOUNDS } from '@svc/contracts/agent/link-test';
import type { FastifyBaseLogger } from 'fastify';
import { type Clock, keepsNothing, type Slice } from '#kernel';
import { type AllowanceBounds, createAllowance } from './domain/allowance.ts';
import { createLinkTestMount } from './ingress.ts';

export interface LinkTestSliceDeps {
  clock: Clock;
  log: FastifyBaseLogger;
  /** For tests: others than those of docs/limits.md. */
  bounds?: Partial<AllowanceBounds>;
}

/** Streams of each method: a test has one of both. */
const OPEN_OF_TENANT = 8;
const OPEN = 32;
/** Of a tenant in an hour: streams of each method, and bytes both ways, which are 200 whole tests: 4.4 Mbit/s on average. */
const PER_HOUR_OF_TENANT = 400;
const BYTES_OF_TENANT = 2_000_000_000;

/** Lets a device load its line to this server and see how long answers take meanwhile, on the click of the person in front of it. */
export function createLinkTest({ clock, log, bounds: given }: LinkTestSliceDeps) {
  const bounds = {
    ...{ perHour: LINK_TEST_BOUNDS.perHour, perHourOfTenant: PER_HOUR_OF_TENANT, bytesOfTenant: BYTES_OF_TENANT },
    ...{ openOfTenant: OPEN_OF_TENANT, open: OPEN, ...given },
  };
  return {
    name: 'link-test',
    roles: ['ingest'],
    grpc: [createLinkTestMount({ allowance: createAllowance(bounds, clock.now), log })],
    data: keepsNothing('the bytes of a load are forgotten as they come'),
  } satisfies Slice;
}
