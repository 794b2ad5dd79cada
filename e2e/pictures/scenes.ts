import type { Locator, Page } from '@playwright/test';
import { actAt, follow, LIFE_LIMIT_MS, openIncidentOf, planMaintenance, region } from './steps.ts';

const MAP_LIMIT_MS = 240_000;

export type Theme = 'light' | 'dark';

export interface Picture {
  themes: readonly Theme[];
  /** Of the window, where there is little to see; 1,200 unless told. */
  height?: number;
  /** Goes there from the fleet page; `providers` is the page of those that the demo plays. */
  open(page: Page, providers: string): Promise<void>;
  /** Only that of the page; all of it unless told. */
  part?(page: Page): Locator;
}

/** The incident of what fails seldom: of all changes one alone was right before it. */
async function openExplained(page: Page): Promise<void> {
  await openIncidentOf(page, 'Mail');
  await region('Root cause')(page).getByText('Most likely').waitFor({ timeout: MAP_LIMIT_MS });
}

/** The form of a provider, as it asks to be filled in. */
const formOf = (provider: string): Picture => ({
  themes: ['light'],
  open: async (page) => {
    await follow(page, 'Notifications');
    await page.getByRole('button', { name: 'Add a connector' }).click();
    await page.getByRole('radio', { name: provider }).check();
    // Behind the name stand the fields of the provider.
    await page.getByRole('dialog').getByRole('textbox').nth(1).waitFor();
  },
  part: (page) => page.getByRole('dialog'),
});

/** By the name of its file below docs/images. */
export const PICTURES: Readonly<Record<string, Picture>> = {
  fleet: { themes: ['light', 'dark'], open: (page) => follow(page, 'Fleet') },
  device: {
    themes: ['light', 'dark'],
    // The worst first: a device that is slow.
    open: async (page) => {
      await follow(page, 'Fleet');
      await page.getByRole('row').nth(1).getByRole('link').first().click();
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
  },
  incident: { themes: ['light', 'dark'], open: openExplained },
  'tests/tests': {
    themes: ['light'],
    height: 640,
    // One that fails for good stands first.
    open: async (page) => {
      await follow(page, 'Tests');
      await page.getByRole('row', { name: /Interface of a partner.*Failing/ }).waitFor({ timeout: LIFE_LIMIT_MS });
    },
  },
  'tests/test': {
    themes: ['light'],
    // One that has failed and recovered, an hour of it.
    open: async (page) => {
      await follow(page, 'Tests');
      await page.getByRole('link', { name: 'Checkout', exact: true }).first().click();
      await page.getByRole('region', { name: 'Latest runs' }).waitFor();
      await page.goto(`${page.url()}?range=1h`);
      await page.getByRole('region', { name: 'Latest runs' }).waitFor();
    },
  },
  'tests/runners': {
    themes: ['light'],
    height: 260,
    open: async (page) => {
      await follow(page, 'Runners');
      await page.getByRole('row', { name: /Built in/ }).waitFor();
    },
    part: (page) => page.getByRole('main'),
  },
  'tests/maintenance': {
    themes: ['light'],
    open: async (page) => {
      await planMaintenance(page);
      await page.goto(new URL('/settings?tab=tests', page.url()).href);
      await page.getByText('Patches of the shop').waitFor();
    },
    part: region('Maintenance windows'),
  },
  cause: { themes: ['light'], open: openExplained, part: region('Root cause') },
  'notify/told': {
    themes: ['light'],
    // A pager's person has taken it.
    open: async (page, providers) => {
      await actAt(page, providers, { name: 'PagerDuty', about: 'Interface of a partner', act: 'acknowledge' });
      await openIncidentOf(page, 'Interface of a partner');
      await region('Who was told')(page)
        .getByText(/acknowledged there by Example User/)
        .waitFor();
    },
    part: region('Who was told'),
  },
  'notify/inbound': {
    themes: ['light'],
    // The service desk has resolved a ticket.
    open: async (page, providers) => {
      await actAt(page, providers, { name: 'ServiceNow', about: 'Lisbon', act: 'resolve' });
      await page.goto(new URL('/notify/inbound', page.url()).href);
      await page.getByRole('link', { name: /ServiceNow/ }).click();
      await region('Last deliveries')(page)
        .getByText(/Resolved here/)
        .waitFor();
    },
  },
  'notify/outbox': {
    themes: ['light'],
    open: async (page) => {
      await page.goto(new URL('/notify/outbox', page.url()).href);
      await page.getByRole('row').nth(1).waitFor();
    },
  },
  'notify/providers': {
    themes: ['light'],
    height: 600,
    open: async (page, providers) => {
      await page.goto(providers);
      await page.locator('article').first().waitFor();
    },
  },
  changes: {
    themes: ['light'],
    open: async (page) => {
      await follow(page, 'Changes');
      await page.getByRole('row').nth(1).waitFor();
    },
  },
  webhook: {
    themes: ['light'],
    height: 560,
    // One that is refused.
    open: async (page) => {
      await follow(page, 'Changes');
      await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
      await page.getByRole('link', { name: 'Former build server' }).click();
      await page.getByRole('region', { name: 'Refused' }).waitFor();
    },
    part: (page) => page.getByRole('main'),
  },
  'tests/words': {
    themes: ['light'],
    // A proposal with fields of all three origins.
    open: async (page) => {
      await follow(page, 'Tests');
      await page.getByRole('button', { name: 'Describe what to watch' }).click();
      const drawer = page.getByRole('complementary', { name: 'New test' });
      await drawer
        .getByRole('textbox', { name: 'Describe what to watch' })
        .fill('check every 30 s that https://shop.example/login answers 200 within 800 ms and says Sign in');
      await drawer.getByRole('button', { name: 'Propose' }).click();
      await drawer.getByText(/Written by/).waitFor();
    },
  },
  'tests/unwatched': {
    themes: ['light'],
    height: 960,
    open: async (page) => {
      await follow(page, 'Tests');
      await page.getByRole('link', { name: 'Not watched yet' }).click();
      await page
        .getByRole('button', { name: /^Dismiss/ })
        .first()
        .waitFor();
    },
  },
  'rum/users': {
    themes: ['light'],
    height: 880,
    open: async (page) => {
      await follow(page, 'Real users');
      await page.getByRole('row', { name: /pay.localhost/ }).waitFor();
    },
  },
  'rum/users-host': {
    themes: ['light'],
    // Of which users hurt by the clock.
    open: async (page) => {
      await follow(page, 'Real users');
      await page.getByRole('link', { name: 'pay.localhost' }).first().click();
      await page.getByRole('region', { name: 'Verdict' }).waitFor();
    },
  },
  'rum/users-app': {
    themes: ['light'],
    height: 800,
    open: async (page) => {
      await page.goto(new URL('/rum/shop', page.url()).href);
      await page.getByRole('heading', { level: 1 }).waitFor();
    },
  },
  'rum/users-device': {
    themes: ['light'],
    // One whose sessions go to a host that users are known of.
    open: async (page) => {
      await page.goto(new URL('/fleet?search=LIS', page.url()).href);
      await page.getByRole('row').nth(1).getByRole('link').first().click();
      await page.getByRole('region', { name: 'Real users of the same host' }).scrollIntoViewIfNeeded();
    },
  },
  map: {
    themes: ['light'],
    // Its minutes are computed once they are over and settled.
    open: async (page) => {
      await follow(page, 'Service map');
      await page.getByRole('heading', { level: 2, name: 'Connections' }).waitFor({ timeout: MAP_LIMIT_MS });
    },
  },
  'notify/connectors': {
    themes: ['light'],
    height: 860,
    // One that is opened, and tested.
    open: async (page) => {
      await follow(page, 'Notifications');
      await page.getByRole('button', { name: /PagerDuty/ }).click();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('The test went through.').waitFor();
    },
  },
  'notify/rule': {
    themes: ['light'],
    open: async (page) => {
      await page.goto(new URL('/notify/rules?edit=new', page.url()).href);
      await page.getByLabel('Name').fill('Shop by day');
      await page.getByLabel('Delay', { exact: true }).fill('5');
      // No schedule, which at night fits no incident.
      await page.getByText('What is not critical waits until they end').click();
    },
  },
  'notify/connector-pagerduty': formOf('PagerDuty'),
  'notify/connector-opsgenie': formOf('Opsgenie'),
  'notify/connector-slack': formOf('Slack'),
  'notify/connector-teams': formOf('Microsoft Teams'),
  'notify/connector-servicenow': formOf('ServiceNow'),
  'notify/connector-jira': formOf('Jira'),
  'notify/connector-email': formOf('E-mail'),
  'notify/connector-webhook': formOf('Signed webhook'),
  traces: {
    themes: ['dark'],
    // The lines of the quantiles come after the points.
    open: async (page) => {
      await follow(page, 'Traces');
      await page.getByText(/p50.*p99/).waitFor();
    },
  },
};
