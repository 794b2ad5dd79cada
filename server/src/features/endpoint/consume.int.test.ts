import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Bus, SetAsideMessage } from '#bus';
import type { TenantId } from '#kernel';
import { subscribeView } from './consume.ts';
import { type EndpointStack, startEndpointStack } from './test-stack.ts';

let stack: EndpointStack;
let tenant: TenantId;

beforeAll(async () => {
  stack = await startEndpointStack();
  tenant = await stack.addTenant('acme');
});
afterAll(async () => {
  await stack.close();
});

const toResult = (agentId: string, part: Partial<CanonicalResult> = {}): CanonicalResult => ({
  result_id: '01890a5d-ac96-774b-bcce-b302099a8057',
  tenant_id: tenant,
  agent_id: agentId,
  canary_type: 'endpoint.gateway',
  started_at: new Date().toISOString(),
  present: true,
  metrics: { 'rtt.avg.ms': 7 },
  attributes: {},
  ...part,
});

it('keeps the good results of a batch that also holds what no store takes, and what is no result', async () => {
  const [good, bad] = [await stack.enrolDevice(tenant), await stack.enrolDevice(tenant)];
  const aside: SetAsideMessage[] = [];
  const quarantine = { put: async (messages: readonly SetAsideMessage[]) => void aside.push(...messages) };
  const bus: Bus = { ...stack.bus, subscribe: (options, handler) => stack.bus.subscribe({ ...options, quarantine }, handler) };
  const subscription = await subscribeView({ bus, relational: stack.database.relational, log: pino({ level: 'silent' }) });
  const values = [
    JSON.stringify(toResult(bad.identity.agent_id, { attributes: { 'network.gateway.address': 'a\0b' } })),
    JSON.stringify(toResult('nobody')),
    JSON.stringify(toResult(good.identity.agent_id, { started_at: 'yesterday' })),
    'no json',
    JSON.stringify(toResult(good.identity.agent_id)),
    JSON.stringify(toResult('01890a5d-ac96-774b-bcce-b302099a8057')),
  ];
  await bus.publish(
    'svc.endpoint.results',
    values.map((text) => ({ tenant, value: Buffer.from(text) })),
  );
  await vi.waitFor(async () => expect(await subscription.lag()).toBe(0), { timeout: 15_000 });
  const { items } = await stack.callAs(tenant).endpoint.list({});
  const rttOf = (id: string) => items.find((item) => item.id === id)?.gateway_rtt_ms.value;
  expect(items).toHaveLength(2);
  expect([rttOf(good.identity.agent_id), rttOf(bad.identity.agent_id)]).toEqual([7, null]);
  expect(aside.map(({ value, reason }) => [value.toString(), reason])).toEqual([[values[0], 'failed']]);
  await subscription.close();
});
