import { expect } from '@playwright/test';
import { findPlaces } from '../crawl/routes.ts';
import { reviewsEveryPage } from '../env.ts';
import { startReviewer } from '../loads/lighthouse.ts';
import { test } from '../stack/demo.ts';

/** A table, a page of charts and a form; the long lane takes every page. axe looks at all of them in every run. */
const FEW: ReadonlySet<string> = new Set(['/fleet', '/fleet/$id', '/settings']);

test('Lighthouse finds nothing inaccessible', async ({ demo, browser }) => {
  test.setTimeout(300_000);
  const scout = await browser.newPage({ ignoreHTTPSErrors: true, storageState: demo.people.admin });
  const places = await findPlaces(scout, demo.url);
  await scout.context().close();
  const reviewer = await startReviewer(demo.people.admin);
  try {
    for (const { route, path } of places.filter((place) => reviewsEveryPage || FEW.has(place.route))) {
      const { score, faults } = await reviewer.findInaccessible(`${demo.url}${path}`);
      expect(faults, route).toEqual([]);
      expect(score, route).toBe(100);
    }
  } finally {
    await reviewer.close();
  }
});
