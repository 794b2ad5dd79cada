import type { Page } from '@playwright/test';

/** What fails for two of every ten minutes has failed, recovered and failed again. */
export const LIFE_LIMIT_MS = 1_500_000;

export const follow = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation').getByRole('link', { name }).first().click();

/** An incident of a test, once there is one. */
export async function openIncidentOf(page: Page, test: string): Promise<void> {
  await follow(page, 'Incidents');
  await page.getByRole('button', { name: 'All' }).click();
  await page
    .getByRole('link', { name: new RegExp(`^${test} fails`) })
    .first()
    .click({ timeout: LIFE_LIMIT_MS });
}

/** What a person of a provider does there about an incident, where it is still open. */
export async function actAt(page: Page, providers: string, { name, about, act }: { name: string; about: string; act: string }) {
  await page.goto(providers);
  const provider = page.locator('section', { has: page.getByRole('heading', { name, exact: true }) });
  const one = provider.locator('article', { has: page.locator('h3.open', { hasText: about }) }).first();
  await provider.locator('article').first().waitFor();
  if (await one.isVisible()) await one.getByRole('button', { name: act, exact: true }).click();
  await page.goBack();
}

export const region = (name: string) => (page: Page) => page.getByRole('region', { name, exact: true });

/** Windows as a person would plan them; made where none are. */
export async function planMaintenance(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  const path = `${origin}/v1/maintenance-windows`;
  const known = (await (await page.request.get(path)).json()) as { items: unknown[] };
  if (known.items.length > 0) return;
  const hoursOn = (hours: number): string => `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 13)}:00:00Z`;
  const windows = [
    {
      ...{ name: 'Patches of the shop', zone: 'Europe/Lisbon', scope: { kind: 'target', target: 'shop.localhost' } },
      times: { repeat: 'weekly', weekdays: [2, 4], from: '22:00', duration_minutes: 120 },
    },
    {
      ...{ name: 'New uplink', zone: 'Europe/Lisbon', scope: { kind: 'site', site: 'Lisbon' } },
      times: { repeat: 'once', from: hoursOn(30), to: hoursOn(32) },
    },
  ];
  for (const data of windows) {
    const made = await page.request.post(path, { headers: { origin }, data });
    if (!made.ok()) throw new Error(`${data.name}: ${made.status()} ${await made.text()}`);
  }
}
