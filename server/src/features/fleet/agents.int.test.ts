import { PERMISSIONS } from '@svc/contracts/permissions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCallerFactory, router } from '#api';
import type { TenantId } from '#kernel';
import { type FleetStack, startFleetStack } from './test-stack.ts';

let stack: FleetStack;
let acme: TenantId;

beforeAll(async () => {
  stack = await startFleetStack();
  acme = await stack.addTenant('acme');
});
afterAll(async () => {
  await stack.close();
});

it('hands the trail what a change of a device replaced and with what, a name as people saw it', async () => {
  const { identity } = await stack.enrolDevice(acme);
  const id = identity.agent_id;
  const principal = { kind: 'account', id: 'ann', tenant: acme, permissions: new Set(PERMISSIONS) } as const;
  const ctx = { principal, requestId: 'test' };
  const { fleet } = createCallerFactory(router({ fleet: stack.fleet.procedures }))({ requestId: 'test', ctx });
  await fleet.agents.rename({ id, name: 'Helena' });
  await fleet.agents.rename({ id, name: null });
  await fleet.agents.setSite({ ids: [id], site: 'Porto' });
  await fleet.agents.setOwner({ ids: [id], owner: 'ana@example.com' });
  await fleet.agents.retire({ ids: [id] });
  const changes = stack.audit.filter(({ entry }) => entry.object?.id === id).map(({ entry }) => [entry.action, entry.change]);
  expect(changes.filter(([action]) => action !== 'agent.enrol')).toEqual([
    ['agent.rename', { agentId: id, before: 'laptop', after: 'Helena' }],
    ['agent.rename', { agentId: id, before: 'Helena', after: 'laptop' }],
    ['agent.set_site', { agentId: id, before: null, after: 'Porto' }],
    ['agent.set_owner', { agentId: id, before: null, after: 'ana@example.com' }],
    ['agent.retire', undefined],
  ]);
});
