import { expect, it } from 'vitest';
import { listOf, membersOf, textOf } from '../address/search-params.ts';
import { actsOn, currentView, queryOf, type SavedView, toShown } from './saved-views.ts';

/** A page that knows verdicts of a closed list, sites and a range. */
const decode = (raw: Record<string, unknown>): object =>
  Object.fromEntries(
    Object.entries({
      ...{ verdict: membersOf(raw.verdict, ['wifi', 'isp']), site: listOf(raw.site), range: textOf(raw.range) },
    }).filter(([, value]) => value !== undefined),
  );
const saved = (more: Partial<SavedView> = {}): SavedView => ({
  ...{ id: 'a', page: 'fleet', name: 'Mine', search: 'site=Porto', updated_at: '2026-01-01T00:00:00.000Z' },
  ...{ shared: false, is_mine: true, is_default: false, ...more },
});
const list = { items: [], may_save: true, may_share: true, may_delete_any: false };

it('leads to the address that its page makes of it', () => {
  expect(toShown(saved({ search: 'site=Porto&range=6h' }), decode)).toMatchObject({
    query: '?range=6h&site=Porto',
    unknown: [],
  });
});

it('is the same address whatever was chosen first', () => {
  expect(queryOf({ site: ['Porto'], range: '6h' })).toBe(queryOf({ range: '6h', site: ['Porto'] }));
});

it('names what the page does not know any more, and leads to the rest', () => {
  const view = toShown(saved({ search: 'verdict=solar_flare&verdict=isp&gone=1' }), decode);
  expect(view.query).toBe('?verdict=isp');
  expect(view.unknown).toEqual([
    { key: 'verdict', value: 'solar_flare' },
    { key: 'gone', value: '1' },
  ]);
});

it('names no time where it was saved without one, so that the range of another view does not stay', () => {
  expect(toShown(saved({ search: 'site=Faro' }), decode).search).toEqual({
    ...{ site: ['Faro'], range: undefined, from: undefined, to: undefined },
  });
  expect(toShown(saved({ search: 'range=6h' }), decode).search).toMatchObject({ range: '6h' });
});

it('is current where the address asks for the same, a saved one before a built-in one', () => {
  const views = [{ name: 'Porto', search: 'site=Porto' }, saved()].map((view) => toShown(view, decode));
  expect(currentView(views, '?site=Porto')?.name).toBe('Mine');
  expect(currentView(views, '?site=Faro')).toBeUndefined();
});

it.each([
  ['one’s own', { view: saved(), may: {} }, { update: true, rename: true, share: 'share', remove: true }],
  [
    'one’s own, by who may not share',
    { view: saved(), may: { may_share: false } },
    { update: true, rename: true, share: undefined, remove: true },
  ],
  [
    'one’s own that is shared, by who may not share any more',
    { view: saved({ shared: true }), may: { may_share: false } },
    { update: false, rename: false, share: 'unshare', remove: true },
  ],
  [
    'another’s',
    { view: saved({ shared: true, is_mine: false }), may: {} },
    { update: false, rename: false, share: undefined, remove: false },
  ],
  [
    'another’s, by an administrator',
    { view: saved({ shared: true, is_mine: false }), may: { may_delete_any: true } },
    { update: false, rename: false, share: undefined, remove: true },
  ],
])('offers for %s what its reader may do', (_words, { view, may }, acts) => {
  expect(actsOn(view, { ...list, ...may }, false)).toEqual(acts);
});
