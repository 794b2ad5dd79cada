import { type APIRequestContext, expect, test } from '@playwright/test';
import { canonicalJson } from '@svc/contracts/results/canonical-json';
import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { startEmployee } from '../stack/employee.ts';
import { running } from '../stack/running.ts';

const { url, dataDir } = running();
/** The policy opens no service, a layer that is needed: neither the window nor the console may call this device healthy. */
const NOT_HEALTHY = /^(Slow|Nothing (is |you use is )?slow)/;

/** What the control plane holds of a device, without what the credential gave: as the device itself knows a result. */
async function readStored(api: APIRequestContext, id: string): Promise<Map<string, string>> {
  const answer = await api.get(`${url}/v1/endpoints/${id}/results?limit=1000`);
  expect(answer.status()).toBe(200);
  const { items } = (await answer.json()) as { items: CanonicalResult[] };
  return new Map(items.map(({ tenant_id: _tenant, agent_id: _agent, ...own }) => [own.result_id, canonicalJson(own)]));
}

test('disclosure, measure, verdict, ledger equal to what is stored, pause that IT sees, resume', async ({ page, context }) => {
  test.setTimeout(180_000);
  const employee = await startEmployee({ server: url, dataDir });
  const window = await context.newPage();
  try {
    const { agentId } = await employee.client.call('about', {});
    const id = agentId ?? '';
    await employee.openWindow(window);
    await expect(window.getByRole('heading', { level: 1 })).toHaveText('This device measures its network');
    await window.waitForTimeout(5000);
    const api = page.request;
    expect((await readStored(api, id)).size).toBe(0);

    await window.getByRole('button', { name: 'Start measuring' }).click();
    await expect(window.getByRole('tab', { name: 'Now' })).toHaveAttribute('aria-selected', 'true');
    await expect(window.getByRole('heading', { level: 1 })).toHaveText(NOT_HEALTHY, { timeout: 30_000 });
    await page.goto(`${url}/fleet/${id}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(NOT_HEALTHY, { timeout: 30_000 });

    // IT reads what people see, made from the policy; the device makes its page from what is in force.
    const told = await (await api.get(`${url}/v1/agent-disclosure`)).json();
    const seen = await employee.client.call('disclosure', {});
    const brief = ({ item, on, targets }: { item: string; on: boolean; targets: string[] }) => ({ item, on, targets });
    expect(seen.items.map(brief)).toEqual(told.items.map(brief));
    expect([seen.organisation, seen.keptDays]).toEqual([told.organisation, told.kept_days]);

    await window.getByRole('tab', { name: 'What was sent' }).click();
    await expect(window.getByRole('button', { name: /Wi-Fi|Gateway|gateway/ }).first()).toBeVisible({ timeout: 30_000 });
    const ledger = await employee.client.call('ledger', { limit: 200 });
    expect(ledger.intact).toBe(true);
    // Beside results it holds the other messages, which nobody reads from the control plane.
    const batches = ledger.entries.filter(({ kind }) => kind === 'results');
    const sent = (await Promise.all(batches.map((entry) => employee.client.call('ledgerEntry', { id: entry.id })))).flatMap(
      (entry) => entry.results.map((result) => result.sent),
    );
    expect(sent.length).toBeGreaterThan(5);
    await expect
      .poll(async () => {
        const stored = await readStored(api, id);
        return sent.filter((text) => stored.get(JSON.parse(text).result_id) !== text);
      })
      .toEqual([]);

    await window.getByRole('tab', { name: 'Now' }).click();
    await window.getByRole('button', { name: 'Pause' }).click();
    await window.getByRole('menuitem', { name: /15/ }).click();
    await expect(window.getByRole('heading', { level: 1 })).toHaveText(/Paused/, { timeout: 1500 });
    await page.goto(`${url}/fleet/${id}`);
    await expect(page.getByText(/Paused until/).first()).toBeVisible({ timeout: 20_000 });
    const atPause = (await readStored(api, id)).size;
    await window.waitForTimeout(6000);
    expect((await readStored(api, id)).size).toBe(atPause);

    await window.getByRole('button', { name: 'Resume' }).click();
    await expect(window.getByRole('heading', { level: 1 })).toHaveText(NOT_HEALTHY, { timeout: 30_000 });
    await expect.poll(async () => (await readStored(api, id)).size, { timeout: 30_000 }).toBeGreaterThan(atPause);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(NOT_HEALTHY, { timeout: 30_000 });
  } finally {
    await window.close();
    await employee.stop();
  }
});
