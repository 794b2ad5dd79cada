import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { INPUTS } from './procedure-inputs.ts';
import { ACME, OWN_ORIGIN, openWalledProduct, type WalledProduct } from './test-walled-product.ts';

let walled: WalledProduct;

beforeAll(async () => {
  walled = await openWalledProduct();
});
afterAll(async () => await walled?.close());

/** Routes that run procedures: they need a credential. */
const calledRoutes = () =>
  walled.product.http.routes().filter(({ url }) => /^\/(mcp$|(v1|trpc)\/)/.test(url) && url !== '/v1/openapi.json');

test('every route but health is bounded by a budget, and procedures by whoever calls them', () => {
  const free = walled.product.http.routes().filter(({ rate }) => rate === 'none');
  expect(free.map(({ method, url }) => `${method} ${url}`).sort()).toEqual(
    // Beacons have the budgets of their keys: behind one address are many visitors.
    ['GET /healthz', 'GET /readyz', 'HEAD /healthz', 'HEAD /readyz', 'OPTIONS /ingest/rum', 'POST /ingest/rum'].sort(),
  );
  expect(calledRoutes().length).toBeGreaterThan(50);
  expect(calledRoutes().filter(({ rate }) => rate !== 'principal')).toEqual([]);
});

test('without a credential every route of a procedure answers 401, whatever was sent', async () => {
  const statuses = new Map<string, number>();
  for (const { method, url } of calledRoutes()) {
    const path = `${url.replaceAll(/:\w+/g, 'x')}?limit=x&input=%7B&cursor=%00`;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const body = hasBody ? { payload: '{"broken', headers: { 'content-type': 'application/json' } } : {};
    const { statusCode } = await walled.product.http.app.inject({ method: method as 'GET', url: path, ...body });
    statuses.set(`${method} ${url}`, statusCode);
  }
  expect([...statuses].filter(([, status]) => status !== 401)).toEqual([]);
});

test('every procedure is walked', () => {
  expect(
    walled
      .procedures()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(Object.keys(INPUTS).sort());
});

/** `limit` of a JSON schema, where it has one. */
const limitOf = (schema: unknown) => (schema as { properties?: Record<string, object> }).properties?.limit;
const LIST_LIMIT = { type: 'integer', minimum: 1, maximum: 1000, default: 100 };

test('every list takes 100 items unless told, and 1000 at most, by REST and by tRPC', async () => {
  const { paths } = (await walled.product.http.app.inject({ url: '/v1/openapi.json', headers: OWN_ORIGIN })).json<{
    paths: Record<string, Record<string, { parameters?: { name: string; schema: object }[] }>>;
  }>();
  const routes = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.values(verbs).flatMap(({ parameters = [] }) => {
      const limit = parameters.find(({ name }) => name === 'limit');
      return limit ? [{ path, limit: limit.schema }] : [];
    }),
  );
  expect(routes.length).toBeGreaterThan(8);
  for (const { path, limit } of routes) expect({ path, limit }).toEqual({ path, limit: LIST_LIMIT });
  const lists = walled.procedures().flatMap(({ name, input }) => {
    const limit = input && limitOf(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }));
    return limit ? [{ name, limit }] : [];
  });
  expect(lists.length).toBeGreaterThan(routes.length);
  for (const { name, limit } of lists) expect({ name, limit }).toEqual({ name, limit: LIST_LIMIT });
});

test('without a credential every procedure and every route of the API answers 401', async () => {
  for (const { name } of walled.procedures())
    expect({ name, status: (await walled.call(name, walled.inputOf(name))).status }).toEqual({ name, status: 401 });
  for (const { name, meta } of walled.procedures()) {
    if (!meta?.rest) continue;
    const { method, path } = meta.rest;
    const input = walled.inputOf(name) as Record<string, unknown>;
    const url = `/v1${path.replace(/:(\w+)/g, (_all, key: string) => String(input[key]))}`;
    const sendsBody = method !== 'GET' && method !== 'DELETE';
    const answer = await walled.product.http.app.inject({
      method,
      url,
      headers: OWN_ORIGIN,
      ...(sendsBody ? { payload: input } : {}),
    });
    expect({ name, url, status: answer.statusCode }).toEqual({ name, url, status: 401 });
  }
});

test('without its permission every procedure answers 403', async () => {
  for (const { name, meta } of walled.procedures()) {
    if (!meta?.permission || meta.permission === 'audit.read') continue;
    expect({ name, status: (await walled.call(name, walled.inputOf(name), walled.credentials.auditor)).status }).toEqual({
      name,
      status: 403,
    });
  }
});

test('every mutation leaves an audit entry in the tenant, unless its definition says that it changes nothing', async () => {
  const headOf = async () => (await walled.product.slices.audit.verify(ACME, { maxEntries: 100_000 })).headSeq;
  for (const { name, meta } of walled.mutations()) {
    if (meta?.unaudited) continue;
    const before = await headOf();
    const { status, body } = await walled.call(name, walled.inputOf(name), walled.credentials.acme);
    expect({ name, status, body: status === 200 ? '' : body }).toEqual({ name, status: 200, body: '' });
    expect({ name, audited: (await headOf()) > before }).toEqual({ name, audited: true });
  }
  expect(await walled.product.slices.audit.verify(ACME, { maxEntries: 100_000 })).toMatchObject({ ok: true });
});
