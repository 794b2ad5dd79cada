import { expect, type Page } from '@playwright/test';
import type { EndpointRow } from '@svc/contracts/endpoint/view';
import { test } from '../stack/demo.ts';

const DEVICES = 10_000;
/** As many as a page of the fleet holds at most. */
const SHOWN = 200;
const MOST_MS = 100;
/** The middle one counts: a poll may come into one, and the first of its kind is compiled. */
const TRIES = 7;

interface Listed {
  result: { data: { items: EndpointRow[]; matched: number } };
}

interface Question {
  sort: unknown[];
  filter: object;
  limit: number;
  offset: number;
}

/** The demo's devices again and again under other names, in another order for each question. */
function listFleet(known: readonly EndpointRow[], { limit, offset, sort, filter }: Question): EndpointRow[] {
  const turn = offset + JSON.stringify([sort, filter]).length;
  return Array.from({ length: limit }, (_, i) => {
    const at = `${turn + i}`.padStart(5, '0');
    return {
      ...(known[(turn + i) % known.length] as EndpointRow),
      id: `00000000-0000-7000-8000-0000000${at}`,
      name: `LIS-LT-${at}`,
    };
  });
}

/** A fleet of 10,000 at the longest page there is. The console knows of the rest only their number. */
async function openFleet(page: Page, url: string): Promise<void> {
  let known: readonly EndpointRow[] = [];
  await page.route('**/trpc/endpoint.list**', async (route) => {
    const asked = new URL(route.request().url());
    const question = JSON.parse(asked.searchParams.get('input') ?? '{}') as Question;
    if (known.length === 0) {
      asked.searchParams.set('input', JSON.stringify({ ...question, limit: 50, offset: 0 }));
      known = ((await (await route.fetch({ url: asked.href })).json()) as Listed).result.data.items;
    }
    await route.fulfill({ json: { result: { data: { items: listFleet(known, question), matched: DEVICES } } } });
  });
  await page.goto(`${url}/fleet?size=${SHOWN}`);
  await expect(page.getByRole('row')).toHaveCount(SHOWN + 1);
  await expect(page.getByText('10,000').first()).toBeVisible();
}

const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
/** Until another device stands first, and is drawn. */
const OTHER_ROWS = `new Promise((done) => {
  const body = document.querySelector('table[aria-label=Devices] tbody');
  const first = body.querySelector('a').textContent;
  const look = () => document.querySelector('table[aria-label=Devices] tbody a')?.textContent !== first
    ? requestAnimationFrame(() => requestAnimationFrame(done)) : setTimeout(look, 20);
  look();
})`;

interface Act {
  /** What has to be there before, and is not counted. */
  prepare?: (page: Page) => Promise<unknown>;
  /** Keys and pointer only: what looks for an element in the page would count. */
  act: (page: Page) => Promise<unknown>;
  /** The server is asked, and other rows come. */
  asks?: true;
}

/** Puts the pointer on it, so that only the press is left to do. */
const pointAt = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name, exact: true }).first().hover();
};
const press = async (page: Page): Promise<void> => {
  await page.mouse.down();
  await page.mouse.up();
};
const boxOf = async (page: Page, nth: number): Promise<{ x: number; y: number }> => {
  const box = await page
    .getByRole('checkbox', { name: /^Select LIS/ })
    .nth(nth)
    .boundingBox();
  return { x: (box?.x ?? 0) + 6, y: (box?.y ?? 0) + 6 };
};

const ACTS: Readonly<Record<string, Act>> = {
  'a letter of the search': {
    prepare: (page) => page.getByRole('searchbox', { name: 'Search devices' }).focus(),
    act: (page) => page.keyboard.press('l'),
    asks: true,
  },
  'a sort': { prepare: (page) => pointAt(page, 'Gateway ms'), act: press, asks: true },
  'a filter': {
    prepare: async (page) => {
      const choices = page.getByRole('dialog').getByRole('checkbox');
      if ((await choices.count()) === 0)
        await page
          .getByRole('button', { name: /^Verdict/ })
          .first()
          .click();
      await choices.first().focus();
    },
    act: (page) => page.keyboard.press('Space'),
    asks: true,
  },
  'the next page': { prepare: (page) => pointAt(page, 'Next page'), act: press, asks: true },
  'an arrow through the rows': {
    prepare: (page) => page.getByRole('row').nth(3).focus(),
    act: (page) => page.keyboard.press('ArrowDown'),
  },
  'the pointer on a row': {
    act: async (page) => {
      const { x, y } = await boxOf(page, 3);
      await page.mouse.move(x + 200, y);
    },
  },
  'a row chosen': {
    prepare: async (page) => {
      const { x, y } = await boxOf(page, 2);
      await page.mouse.move(x, y);
    },
    act: press,
  },
};

/** What an act costs the main thread of the page until it is drawn, milliseconds of a core: other work on this machine does not count. */
async function costOf(page: Page, { prepare, act, asks }: Act): Promise<number> {
  await expect(page.getByRole('row')).toHaveCount(SHOWN + 1);
  await prepare?.(page);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    const secondsOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
    // Without what it takes to press the keys and to look from outside.
    return (secondsOf('TaskDuration') - secondsOf('DevToolsCommandDuration')) * 1000;
  };
  await page.evaluate(FRAMES);
  const before = await read();
  const drawn = asks ? page.evaluate(OTHER_ROWS) : undefined;
  await act(page);
  await (drawn ?? page.evaluate(FRAMES));
  const after = await read();
  await session.detach();
  return after - before;
}

test(`every act takes under ${MOST_MS} ms in a fleet of ${DEVICES}`, async ({ demo, browser }) => {
  test.setTimeout(300_000);
  const page = await browser.newPage({ ignoreHTTPSErrors: true, storageState: demo.people.admin });
  const slow: string[] = [];
  for (const [name, act] of Object.entries(ACTS)) {
    await openFleet(page, demo.url);
    const costs: number[] = [];
    for (let i = 0; i < TRIES; i += 1) costs.push(Math.round(await costOf(page, act)));
    const middle = costs.toSorted((a, b) => a - b)[TRIES >> 1] as number;
    const figures = `${name}: ${middle} ms of ${costs.join(', ')}`;
    test.info().annotations.push({ type: 'interaction', description: figures });
    if (middle > MOST_MS) slow.push(figures);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  await page.context().close();
  expect(slow).toEqual([]);
});
