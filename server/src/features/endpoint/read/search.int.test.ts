import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { fillFleet } from '../test-fleet-rows.ts';
import { type EndpointStack, startEndpointStack } from '../test-stack.ts';
import { fastestAloneMs } from '../test-timing.ts';

const DEVICES = 10_000;
const BOUND_MS = 100;
const SITES = ['Lisbon, floor 3', 'Lisbon, floor 2', 'Lisbon, floor 30', 'Kraków', 'KRAKÓW 2', 'Łódź', 'Strasse 9', 'Straße 9'];

let stack: EndpointStack;
let tenant: TenantId;

beforeAll(async () => {
  stack = await startEndpointStack();
  tenant = await stack.addTenant('big');
  await fillFleet(stack.database.relational, tenant, DEVICES);
  // Two letters that Unicode composes from four, as macOS writes names.
  const sites = [...SITES, 'Zürich'.normalize('NFD'), 'Tromsø'];
  await stack.database.relational.withTenantSql(
    tenant,
    async (sql) =>
      await sql.query(
        `UPDATE endpoint_summary s SET site = ($1::text[])[1 + r.n % 10]
         FROM (SELECT agent_id, row_number() OVER (ORDER BY agent_id) AS n FROM endpoint_summary) r WHERE r.agent_id = s.agent_id`,
        [sites],
      ),
  );
});
afterAll(async () => await stack.close());

const list = async (search: string) => await stack.callAs(tenant).endpoint.list({ filter: { search }, limit: 200 });
const each = DEVICES / 10;

it.each([
  ['lisbon, floor 3', 2 * each],
  ['Lisbon floor 3', 2 * each],
  ['floor 3 lisbon', 2 * each],
  ['3 floor', 2 * each],
  ['floor lisbon', 3 * each],
  ['Lisbon - floor 2', each],
  ['lisbon floor 4', 0],
  ['lisbon kraków', 0],
  ['krakow', 2 * each],
  ['Kraków', 2 * each],
  ['KRAKÓW', 2 * each],
  ['krako\u0301w', 2 * each],
  ['krakow 2', each],
  ['lodz', each],
  ['strasse', 2 * each],
  ['STRASSE 9', 2 * each],
  ['zurich', each],
  ['zürich', each],
  ['tromso', each],
  ['person77@', 1],
  ['person77@ lt-', 1],
  ['lt- %', 0],
  ['lisbon _', 0],
  [`\\ ' lisbon`, 0],
])('finds "%s" %i times, in time', async (search, matched) => {
  expect((await list(search)).matched).toBe(matched);
  expect(await fastestAloneMs(async () => await list(search), BOUND_MS)).toBeLessThan(BOUND_MS);
});

it.each([
  ['as many as fit', 'l t - 0 1 2 e r s o n p a . x k w b d f g h i j m q u v y z c'.repeat(3).slice(0, 200)],
  ['ten long ones', 'person erson rson example xample ample mple .com com @exam'],
  ['ten short ones', 'l t p e c s 0 1 2 lt'],
])('looks for %s, words that most devices have, in time', async (_, search) => {
  expect(await fastestAloneMs(async () => await list(search), BOUND_MS)).toBeLessThan(BOUND_MS);
});
