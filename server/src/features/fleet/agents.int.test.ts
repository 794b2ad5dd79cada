import { PERMISSIONS } from '@svc/contracts/permissions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCallerFactory, router } from '#api';
import type { TenantId } from '#kernel';
import { deviceCredentials, makeDeviceKey, makeStatus, openConnect } from './test-devices.ts';
import { type FleetStack, postJson, startFleetStack } from './test-stack.ts';

let stack: FleetStack;
let acme: TenantId;

beforeAll(async () => {
  stack = await startFleetStack();
  acme = await stack.addTenant('acme');
});
afterAll(async () => {
  await stack.close();
});

const asPerson = () => {
  const principal = { kind: 'account', id: 'ann', tenant: acme, permissions: new Set(PERMISSIONS) } as const;
  const ctx = { principal, requestId: 'test' };
  return createCallerFactory(router({ fleet: stack.fleet.procedures }))({ requestId: 'test', ctx }).fleet;
};
const changesOf = (id: string) =>
  stack.audit
    .filter(({ entry }) => entry.object?.id === id)
    .map(({ entry }) => [entry.action, entry.actor.kind, entry.change?.before, entry.change?.after]);

it('takes site and owner from a device only until a person has said, and writes into the trail whose word it was', async () => {
  const key = await makeDeviceKey();
  const { identity } = await stack.enrolDevice(acme, key);
  const id = identity.agent_id;
  const say = async (site: string, owner: string) => {
    const device = openConnect({ address: stack.address, credentials: deviceCredentials(identity, key.keyPem) });
    await device.next(1);
    device.stream.write(makeStatus({ site, owner_email: owner }));
    await device.stop();
    await stack.fleet.flushContacts();
    return [stack.copies.get(id)?.site, stack.copies.get(id)?.owner];
  };
  expect(await say('Porto', 'ana@example.com')).toEqual(['Porto', 'ana@example.com']);
  expect(await say('Faro', 'ceo@example.com')).toEqual(['Porto', 'ana@example.com']);
  await asPerson().agents.setSite({ ids: [id], site: null });
  await asPerson().agents.setOwner({ ids: [id], owner: null });
  expect(await say('Faro', 'ceo@example.com')).toEqual([null, null]);
  const { token } = await stack.mintToken(acme, { site: 'Faro' });
  const body = { token, csr: key.csr, protocol: 1, agent_version: '0.1.0', device_name: 'laptop', os: 'linux' };
  const again = await postJson(stack.http, '/agent/v1/enroll', { ...body, owner_email: 'ceo@example.com' });
  expect(again.status).toBe(200);
  expect([stack.copies.get(id)?.site, stack.copies.get(id)?.owner]).toEqual([null, null]);
  expect(changesOf(id)).toEqual([
    ['agent.set_site', 'agent', null, 'Porto'],
    ['agent.set_owner', 'agent', null, 'ana@example.com'],
    ['agent.set_site', 'account', 'Porto', null],
    ['agent.set_owner', 'account', 'ana@example.com', null],
  ]);
});

it('hands the trail what a change of a device replaced and with what, a name as people saw it', async () => {
  const { identity } = await stack.enrolDevice(acme);
  const id = identity.agent_id;
  const fleet = asPerson();
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
