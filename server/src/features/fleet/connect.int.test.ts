import { setTimeout as sleep } from 'node:timers/promises';
import { credentials, status } from '@grpc/grpc-js';
import { Policy } from '@svc/contracts/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCallerFactory, router } from '#api';
import { createIntermediate, createRootCa, issueAgentLeaf, type KeyPair, readCsr } from '#crypto';
import type { Ctx, TenantId } from '#kernel';
import { revokeAgents } from './agents.ts';
import { channelCredentials, deviceCredentials, makeDeviceKey, makeStatus, openConnect } from './test-devices.ts';
import { type FleetStack, startFleetStack } from './test-stack.ts';

let stack: FleetStack;
let acme: TenantId;
let rival: TenantId;

beforeAll(async () => {
  stack = await startFleetStack();
  acme = await stack.addTenant('acme');
  rival = await stack.addTenant('rival');
});
afterAll(async () => {
  await stack.close();
});

const callAs = (tenant: TenantId) => {
  const permissions = new Set(['agent.read', 'agent.write', 'settings.write'] as const);
  const ctx: Ctx = { principal: { kind: 'account', id: 'someone', tenant, permissions }, requestId: 'test' };
  return createCallerFactory(router({ fleet: stack.fleet.procedures }))({ requestId: 'test', ctx }).fleet;
};

const connectAs = async (tenant: TenantId) => {
  const { identity, keyPem } = await stack.enrolDevice(tenant);
  const device = openConnect({ address: stack.address, credentials: deviceCredentials(identity, keyPem) });
  return { ...device, agentId: identity.agent_id, identity, keyPem };
};
