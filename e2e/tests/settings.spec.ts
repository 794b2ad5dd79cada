import { expect, test } from '@playwright/test';
import { running } from '../stack/running.ts';

const { url } = running();

test('a policy is saved once, by click and by Enter, and tells its new version', async ({ page }) => {
  await page.goto(`${url}/settings`);
  const limit = page.getByLabel('Slow session from');
  const version = page.getByText(/^Version \d+/);
  await expect(version).toBeVisible();
  let saves = 0;
  page.on('request', (request) => {
    if (request.url().includes('fleet.policy.set')) saves += 1;
  });
  const before = Number(/\d+/.exec((await version.textContent()) ?? '')?.[0]);
  const usual = await limit.inputValue();
  await limit.fill('1750');
  await page.getByRole('button', { name: 'Save and send to devices' }).click();
  await expect(version).toHaveText(new RegExp(`^Version ${before + 1}\\b`));
  await limit.fill(usual);
  await limit.press('Enter');
  await expect(version).toHaveText(new RegExp(`^Version ${before + 2}\\b`));
  expect(saves).toBe(2);
  await expect(page.getByText('Somebody else changed it')).toBeHidden();
});

test('a target that cannot be saved is marked where it stands, with what to enter instead', async ({ page }) => {
  await page.goto(`${url}/settings`);
  const hosts = page.getByLabel('Hosts to trace (at most 8)');
  await hosts.fill('192.0.2.9\nbücher.example');
  await expect(hosts).toHaveAttribute('aria-invalid', 'true');
  await expect(hosts).toHaveAccessibleDescription(
    '“bücher.example” is an internationalized name: enter its ASCII form, xn--bcher-kva.example.',
  );
  await page.getByRole('button', { name: 'Undo changes' }).click();
});

test('what only the server refuses is marked where it stands too', async ({ page }) => {
  await page.goto(`${url}/settings`);
  const faults = [{ path: 'policy.traceTargets.0', message: '“192.0.2.9” is refused.' }];
  await page.route('**/trpc/fleet.policy.set*', (route) =>
    route.fulfill({
      status: 400,
      json: {
        error: {
          message: 'Some targets are not valid.',
          code: -32_600,
          data: { httpStatus: 400, appCode: 'validation', faults },
        },
      },
    }),
  );
  const hosts = page.getByLabel('Hosts to trace (at most 8)');
  await hosts.fill('192.0.2.9');
  await page.getByRole('button', { name: 'Save and send to devices' }).click();
  await expect(hosts).toHaveAccessibleDescription('“192.0.2.9” is refused.');
  await expect(page.getByRole('alert')).toHaveText('Not saved: correct the marked targets.');
  await hosts.fill('192.0.2.8');
  await expect(hosts).not.toHaveAttribute('aria-invalid');
  await page.getByRole('button', { name: 'Undo changes' }).click();
});

test('a role that cannot change the policy reads it in full, and first of all who can', async ({ page }) => {
  await page.route('**/trpc/identity.me*', async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const { data } = body.result;
    data.permissions = data.permissions.filter((name: string) => name.endsWith('.read'));
    await route.fulfill({ response: answer, json: body });
  });
  await page.goto(`${url}/settings`);
  const main = page.locator('main');
  const sentence = main.getByText('Your role can read these settings. Someone with the role Administrator can change them.');
  await expect(sentence).toBeVisible();
  const fields = main.locator('input, textarea');
  expect(await fields.count()).toBeGreaterThan(15);
  await expect(main.locator('input:enabled, textarea:enabled')).toHaveCount(0);
  await expect(main.getByText(/^Version \d+/)).toBeVisible();
  await expect(main.getByRole('button', { name: /Save|Undo/ })).toHaveCount(0);
  await expect(main).not.toContainText('settings.write');
  const top = async (of: typeof sentence): Promise<number> => (await of.boundingBox())?.y ?? 0;
  expect(await top(sentence)).toBeLessThan(await top(fields.first()));
});
