import { beforeAll, expect, it } from 'vitest';
import { type Locator, page } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { me, shellAnswers } from '../../../testing/examples.ts';
import { rumApp, rumApps, rumOverview, waitingRow } from '../../../testing/rum-examples.ts';
import { openPage } from '../../../testing/show.tsx';

/** The script itself, as the server gives it out: nothing here stands for it. */
let integrity: string;
beforeAll(async () => {
  const bytes = await (await fetch('/rum.js')).arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-384', bytes));
  integrity = `sha384-${btoa(String.fromCharCode(...digest))}`;
});

const open = (sum = integrity) =>
  openPage('/rum/dealers?tab=try', {
    ...shellAnswers,
    'identity.me': me(['agent.read', 'rum.read']),
    'rum.apps.list': rumApps([rumApp('dealers')], {
      script: { url: 'https://obs.example:8443/rum.js', integrity: sum, bytes: 2040 },
    }),
    'rum.overview': rumOverview([waitingRow('dealers')]),
  });
const does = page.getByRole('region', { name: 'What the script does' });
const says = (hasText: string | RegExp) => expect.element(does.filter({ hasText })).toBeVisible();
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const NOTHING = 'Observers0Listeners0Timers0Cookies0Storage0Requests0';

/** Presses a button of the sample page, whose realm is another one. */
async function pressInside(name: string): Promise<void> {
  const frame = page.getByTitle('Sample page');
  const inside = (frame.element() as HTMLIFrameElement).contentDocument;
  const button = [...(inside?.querySelectorAll('button') ?? [])].find(({ textContent }) => textContent === name);
  button?.click();
}

/** Visited as by a person: this test's own browser is driven, in which the script never starts. */
async function visit(visitor: string): Promise<void> {
  await press(visitor);
  await expect.element(page.getByRole('button', { name: 'Give consent' })).not.toHaveAttribute('aria-disabled');
}

const row = (name: string): Locator => does.getByRole('row', { name: new RegExp(`^${name}`) });

it('before consent does nothing and sends nothing', async () => {
  await open();
  await visit('One without signals');
  await press('Leave the page');
  await says('Without consent the script has done nothing, and sends nothing.');
  await says(NOTHING);
  await expect.element(row('page').filter({ hasText: 'nothing' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('after consent sends once, when the page is left, and each field is shown', async () => {
  await open();
  await visit('One without signals');
  await press('Give consent');
  await says('Consent is given. Nothing is sent before the page is left.');
  await says(/Observers[1-9]\d*Listeners[1-9]/);
  await pressInside('Throw a script error');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await press('Leave the page');
  await says('1 beacon would have been sent.');
  await expect.element(row('key').filter({ hasText: 'app_dealers_5Yt2Qw' })).toBeVisible();
  await expect.element(row('page').filter({ hasText: '/framed/rum-sample.html' })).toBeVisible();
  await expect.element(row('consent').filter({ hasText: 'true' })).toBeVisible();
  await says(/POST, text\/plain, without cookies, without referrer/);
  expect(does.element().textContent).not.toMatch(/4711|ana@shop|#basket/);
  await press('Leave the page');
  await says('1 beacon would have been sent.');
  expect(await findBarriers()).toEqual([]);
});

it('after consent is withdrawn leaves nothing behind and sends nothing', async () => {
  await open();
  await visit('One without signals');
  await press('Give consent');
  await says(/Observers[1-9]/);
  await press('Withdraw consent');
  await says(/Observers0Listeners0/);
  await press('Leave the page');
  await says('Consent is withdrawn: what was measured is dropped, and nothing is sent.');
  await says(/Requests0/);
});

it.each([
  ['With Global Privacy Control', /sends Global Privacy Control: the script never starts/],
  ['With Do Not Track', /sends Do Not Track: the script never starts/],
  ['This browser', /driven by a program .*: the script never starts/],
])('whatever the page calls, never starts: %s', async (visitor, words) => {
  await open();
  if (visitor !== 'This browser') await visit(visitor);
  await expect.element(page.getByText(words)).toBeVisible();
  await press('Give consent');
  await press('Leave the page');
  await says(NOTHING);
});

it('says that the script could not be loaded, as where something on the way changed it', async () => {
  await open('sha384-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA');
  await expect.element(page.getByRole('alert').filter({ hasText: /could not be loaded/ })).toBeVisible();
});
