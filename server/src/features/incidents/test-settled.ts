import type { RaisedSignal } from '@svc/contracts/incidents/signal';

/** The leased work that killed.int.test.ts and its child both do. */
export const SETTLED_BY = 'test-settling';

/** What each of them finds, since when is of the stores and not of who looks. */
export const settledSignal = (tenant: string): RaisedSignal => ({
  ...{ plane: 'tests', kind: 'test.failing', severity: 'critical', title: 'Shop fails', summary: 'port 443 refuses' },
  ...{ target: `${tenant}.example`, attributes: { 'test.id': 'shop' }, dedup_key: 'test.failing/shop' },
  occurred_at: '2026-06-02T11:00:00.000Z',
});
