import { expect } from '@playwright/test';
import { findPlaces } from '../crawl/routes.ts';
import { walkPage } from '../crawl/walk-page.ts';
import { allWalks, fewWalks, nameOf, partOf } from '../crawl/walks.ts';
import { wholeCrawl } from '../env.ts';
import { test } from '../stack/demo.ts';

/** Each part of the long lane walks as many of its combinations as this allows, in an order that spreads them. */
const LONG_MS = 4 * 60_000;
/** The few walks are all walked: to look for the pages, and for each walk at most, as many as there are then. One takes 3 to 4 s on two cores. */
const LOOKING_MS = 60_000;
const WALK_MS = 8000;

test('from every page by every way out, whatever happens on the way', async ({ demo, browser }) => {
  test.setTimeout(LOOKING_MS + LONG_MS);
  const scout = await browser.newPage({ ignoreHTTPSErrors: true, storageState: demo.people.admin });
  const places = new Map((await findPlaces(scout, demo.url)).map((place) => [place.route, place]));
  await scout.context().close();
  const routes = [...places.keys()];
  const walks = wholeCrawl ? partOf(allWalks(routes), wholeCrawl) : fewWalks(routes);
  const limitMs = wholeCrawl ? LONG_MS : walks.length * WALK_MS;
  test.setTimeout(LOOKING_MS + limitMs);
  const began = Date.now();
  let walked = 0;
  const faults: string[] = [];
  for (const walk of walks) {
    if (wholeCrawl && Date.now() - began > limitMs) break;
    const place = places.get(walk.route);
    if (!place) throw new Error(`${walk.route} has no address.`);
    const found = await test.step(nameOf(walk), () => walkPage(browser, { demo, walk, place }));
    walked += 1;
    if (found.length > 0) faults.push(`${nameOf(walk)}\n    ${found.join('\n    ')}`);
  }
  test.info().annotations.push({ type: 'walks', description: `${walked} of ${walks.length} in ${Date.now() - began} ms` });
  expect(faults, `${faults.length} of ${walked} walks`).toEqual([]);
});
