import { expect, test } from '@playwright/test';
import { encodeHelpdeskCode } from '@svc/contracts/agent/helpdesk-code';
import { running } from '../stack/running.ts';

const { url } = running();

test('the code that somebody reads to the helpdesk opens their device at that minute', async ({ page }) => {
  await page.goto(`${url}/fleet`);
  const device = page.getByRole('row').nth(1).getByRole('link').first();
  const id = /\/fleet\/([0-9a-f-]{36})/.exec((await device.getAttribute('href')) ?? '')?.[1] ?? '';
  const code = encodeHelpdeskCode(id, Date.now() - 2 * 60_000);
  const search = page.getByRole('searchbox', { name: /device/i });
  await search.fill(code.toLowerCase());
  const hint = page.getByRole('status').filter({ hasText: 'Copied' });
  await expect(hint).toBeVisible();
  await expect(page.getByRole('row')).toHaveCount(2);
  await hint.getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`/fleet/${id}\\?from=`));
  await expect(page.getByRole('heading', { name: 'The agent and the person there' })).toBeVisible();

  await page.goto(`${url}/fleet`);
  await search.fill(`${code.slice(0, -1)}${code.endsWith('0') ? '1' : '0'}`);
  await expect(page.getByText('A character of this helpdesk code is wrong or missing')).toBeVisible();

  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(code);
  await expect(page.getByRole('dialog').getByText('as the code says')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`/fleet/${id}\\?from=`));
});

test('what people see stands in the console in each of their languages, as the policy has it', async ({ page }) => {
  await page.goto(`${url}/settings?tab=people-see`);
  await expect(page.getByRole('heading', { name: 'This device measures its network' })).toBeVisible();
  await expect(page.getByText('Pages you visit, what you type')).toBeVisible();
  for (const [language, words] of [
    ['Deutsch', 'Dieses Gerät misst sein Netz'],
    ['Français', 'Cet appareil mesure son réseau'],
    ['Español', 'Este equipo mide su red'],
  ] as const) {
    await page.getByRole('button', { name: language }).click();
    await expect(page.getByRole('heading', { name: words })).toBeVisible();
  }

  await page.goto(`${url}/settings`);
  const longest = page.getByLabel('Longest pause');
  const usual = await longest.inputValue();
  const save = async (minutes: string): Promise<void> => {
    await longest.fill(minutes);
    const saved = page.waitForResponse((answer) => answer.url().includes('fleet.policy.set') && answer.ok());
    await page.getByRole('button', { name: 'Save and send to devices' }).click();
    await saved;
  };
  await longest.fill('5');
  await expect(page.getByText('15 to 10080')).toBeVisible();
  await save('120');
  await page.getByRole('link', { name: 'What your people see' }).click();
  await expect(page.getByText(/Pause, for 2.h at most/)).toBeVisible();
  await page.getByRole('link', { name: 'Measuring' }).first().click();
  await save(usual);
});

test('a device page tells of the agent and the person there', async ({ page }) => {
  await page.goto(`${url}/fleet`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'The agent and the person there' }) });
  for (const term of ['Now', 'Face', 'Disclosure', 'Version', 'Cost'])
    await expect(card.getByText(term, { exact: true })).toBeVisible();
  await expect(card.getByText(/(canary|early|main) ring/)).toBeVisible();
});
