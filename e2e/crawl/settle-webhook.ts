import { expect, type Page } from '@playwright/test';

/** Sees to it that there is a webhook of changes to look at. Needs an administrator's session. */
export async function settleWebhook(page: Page, url: string): Promise<void> {
  const { items } = (await (await page.request.get(`${url}/v1/change-webhooks`)).json()) as { items: unknown[] };
  if (items.length > 0) return;
  const made = await page.request.post(`${url}/v1/change-webhooks`, {
    headers: { origin: url },
    data: { provider: 'generic', name: 'Walked past' },
  });
  expect(made.status(), await made.text()).toBe(201);
}
