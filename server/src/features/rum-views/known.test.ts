import { OTHER_PAGES, PAGE_GROUPS } from '@svc/contracts/rum/kinds';
import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import type { ViewRow } from './domain/read-view.ts';
import { createKnown, HOSTS_OF_APP, HOSTS_OF_TENANT, OTHER_HOST, PAGES_OF_TENANT } from './known.ts';

const view = (app: string, host: string): ViewRow => ({
  ...{ app, host, page: '/', browser: 'chrome', receivedAtMs: 0, resultId: '', vitals: {}, errors: 0, failedRequests: 0 },
});

test('a tenant has no more hosts told apart than its bound, however many apps it spreads them over', async () => {
  const stored = [{ app: 'before', host: 'kept.example', first_at: new Date(0), last_at: new Date(0) }];
  const known = createKnown({
    relational: { withSystemSql: async () => stored } as never,
    store: { read: async () => [] } as never,
  });
  const [tenant, other] = [parseTenantId('loud'), parseTenantId('quiet')];
  const all = Array.from({ length: 3 * HOSTS_OF_TENANT }, (_, i) => view(`app-${i % 60}`, `h${i}.example`));
  const bounded = await known.bound(tenant, all);
  expect(new Set(bounded.map(({ host }) => host)).size).toBe(HOSTS_OF_TENANT);
  expect(bounded.at(-1)?.host).toBe(OTHER_HOST);
  expect(await known.bound(tenant, [view('before', 'kept.example'), view('app-0', 'h0.example')])).toMatchObject([
    { host: 'kept.example' },
    { host: 'h0.example' },
  ]);
  const one = await known.bound(
    other,
    Array.from({ length: 2 * HOSTS_OF_APP }, (_, i) => view('shop', `h${i}.example`)),
  );
  expect(new Set(one.map(({ host }) => host)).size).toBe(HOSTS_OF_APP + 1);
});

const open = () => {
  const reads: string[] = [];
  const read = async (tenant: string) => {
    reads.push(tenant);
    return [{ app: 'before', page: '/kept' }];
  };
  return { reads, known: createKnown({ relational: { withSystemSql: async () => [] } as never, store: { read } as never }) };
};

test('tenants with many apps have the store read once a day each, in whatever order their views come', async () => {
  const { reads, known } = open();
  const tenants = ['a', 'b', 'c'].map((name) => parseTenantId(name));
  for (let round = 0; round < 2; round += 1)
    for (let app = 0; app < 1000; app += 1)
      for (const tenant of tenants) await known.bound(tenant, [view(`app-${app}`, 'shop.example')]);
  expect(reads).toEqual(['a', 'b', 'c']);
});

test('a tenant has so many kinds of page in a day told apart, over all of its apps, and takes none of another’s', async () => {
  const { reads, known } = open();
  const [loud, quiet] = [parseTenantId('loud'), parseTenantId('quiet')];
  const pageOf = (app: string, page: string) => ({ ...view(app, 'shop.example'), page });
  const all = Array.from({ length: PAGES_OF_TENANT + 5000 }, (_, i) => pageOf(`app-${i % 60}`, `/p${i}`));
  const bounded = await known.bound(loud, all);
  // One was stored before.
  expect(bounded.filter(({ page }) => page !== OTHER_PAGES)).toHaveLength(PAGES_OF_TENANT - 1);
  const again = [pageOf('before', '/kept'), pageOf('app-0', '/p0'), pageOf('app-0', '/new')];
  expect((await known.bound(loud, again)).map(({ page }) => page)).toEqual(['/kept', '/p0', OTHER_PAGES]);
  const one = Array.from({ length: PAGE_GROUPS + 9 }, (_, i) => pageOf('shop', `/p${i}`));
  expect(new Set((await known.bound(quiet, one)).map(({ page }) => page)).size).toBe(PAGE_GROUPS + 1);
  known.drop(loud);
  await known.bound(loud, [pageOf('app-0', '/p0')]);
  expect(reads).toEqual(['loud', 'quiet', 'loud']);
});

test('memory is bounded over all tenants: who has most is read again, who has few is not', async () => {
  const { reads, known } = open();
  const fill = async (name: string, count: number) => {
    const views = Array.from({ length: count }, (_, i) => ({ ...view(`app-${i % 60}`, 'shop.example'), page: `/p${i}` }));
    await known.bound(parseTenantId(name), views);
  };
  await fill('few', 100);
  for (let n = 0; n < 21; n += 1) await fill(`loud-${n}`, PAGES_OF_TENANT);
  await fill('few', 100);
  expect(reads.filter((name) => name === 'few')).toHaveLength(1);
  await fill('loud-0', 1);
  expect(reads.filter((name) => name === 'loud-0')).toHaveLength(2);
});
