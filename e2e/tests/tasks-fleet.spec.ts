import { readFileSync } from 'node:fs';
import { expect, type Locator, type Page } from '@playwright/test';
import type { DeviceView, EndpointRow } from '@svc/contracts/endpoint/view';
import { adviceWords } from '@svc/contracts/judged/advice';
import { enrolDevice } from '../faults/senders.ts';
import { PASSWORD } from '../stack/demo.ts';
import { causeOf, deviceWith, deviceWithoutLocation, slowDevicesAt } from '../tasks/ground-truth.ts';
import { pageLink } from '../tasks/person.ts';
import { play, type Seat, test } from '../tasks/task-test.ts';
import { TASKS } from '../tasks/tasks.ts';

const HOUR_MS = 3_600_000;

const devices = (page: Page): Locator => page.getByRole('region', { name: 'Devices' });
/** Of the table, without its head. */
const rows = (page: Page): Locator =>
  devices(page)
    .getByRole('row')
    .filter({ has: page.getByRole('cell') });
const shownNames = (page: Page): Promise<string[]> => rows(page).getByRole('link').allTextContents();

async function listDevices({ ask }: Seat, filter: object): Promise<EndpointRow[]> {
  const answer = await ask<{ items: EndpointRow[] }>('endpoint.list', { filter, sort: [], limit: 50, offset: 0 });
  return answer.items;
}

const deviceOf = async ({ ask }: Seat, id: string): Promise<DeviceView> => {
  const now = Date.now();
  const iso = (ms: number): string => new Date(ms).toISOString();
  return ask('endpoint.device', { id, from: iso(now - 24 * HOUR_MS), to: iso(now) });
};

test.describe('an IT admin', () => {
  test(
    TASKS.weakFloor.task,
    play(TASKS.weakFloor, async (seat) => {
      const { person } = seat;
      const { page } = person;
      const { site } = deviceWith('weak_wifi');
      await person.click(devices(page).getByRole('button', { name: 'Site', expanded: false }));
      await person.click(page.getByRole('checkbox', { name: site }));
      await person.click(page.getByRole('region', { name: 'Verdicts now' }).getByRole('button', { name: /^Wi-Fi/ }));

      await expect.poll(async () => (await shownNames(page)).sort()).toEqual(slowDevicesAt(site));
      for (const { name, verdict_since: since } of await listDevices(seat, { site: [site], verdict: ['wifi'] })) {
        const row = rows(page).filter({ hasText: name ?? '' });
        await expect(row).toContainText('Wi-Fi');
        // As long ago as the API's instant, which stands behind the words.
        await expect(row.locator(`time[datetime="${since}"]`)).toHaveText(/\d\s(min|h)$/);
      }
    }),
  );

  test(
    TASKS.slowLaptop.task,
    play(TASKS.slowLaptop, async (seat) => {
      const { person } = seat;
      const { page } = person;
      const laptop = deviceWith('weak_wifi');
      const cause = causeOf(laptop);
      await person.click(page.getByRole('button', { name: 'Find a device, test or page' }));
      await person.type(page.getByRole('combobox', { name: /owner/ }), laptop.owner);
      await expect(page.getByRole('option', { name: laptop.name })).toHaveAttribute('aria-selected', 'true');
      await person.press('Enter');
      await person.click(page.getByRole('group', { name: 'Compare with' }).getByRole('button', { name: 'The hour before' }));

      const [row] = await listDevices(seat, { search: laptop.name });
      const view = await deviceOf(seat, row?.id ?? '');
      expect(view.endpoint.verdict).toBe(cause);
      const head = page.getByRole('heading', { level: 1 });
      await expect(head).toContainText('because of Wi-Fi');
      await expect(head.locator(`time[datetime="${view.endpoint.verdict_since}"]`)).toBeVisible();
      await expect(page.getByText(view.advice ? adviceWords(view.advice) : 'advice')).toBeVisible();
      // It was as slow in the hour before: it did not begin within this one.
      const began = Date.parse(view.endpoint.verdict_since ?? '');
      expect(began).toBeLessThan(Date.now() - HOUR_MS);
      const score = page.getByRole('table', { name: 'Layers, score' }).getByRole('row', { name: /^Wi-Fi/ });
      const [now, before] = [score.getByRole('cell').nth(0), score.getByRole('cell').nth(1)];
      for (const cell of [now, before]) await expect.poll(async () => Number(await cell.textContent())).toBeLessThan(60);
      const scoreOf = async (): Promise<string> =>
        String(Math.round((await deviceOf(seat, row?.id ?? '')).layers.find(({ layer }) => layer === cause)?.score ?? -1));
      // Measured anew each minute: the page follows within its next poll.
      await expect(async () => expect(await now.textContent()).toBe(await scoreOf())).toPass({ timeout: 30_000 });
    }),
  );

  test(
    TASKS.slowOfSite.task,
    play(TASKS.slowOfSite, async (seat) => {
      const { person } = seat;
      const { page } = person;
      const { site } = deviceWith('weak_wifi');
      await person.click(page.getByRole('button', { name: /slow now$/ }));
      await person.click(devices(page).getByRole('button', { name: 'Site', expanded: false }));
      await person.click(page.getByRole('checkbox', { name: site }));
      const slow = slowDevicesAt(site);
      await expect.poll(async () => (await shownNames(page)).sort()).toEqual(slow);
      const saving = page.waitForEvent('download');
      await person.click(devices(page).getByRole('link', { name: /^CSV of/ }));

      const file = await saving;
      expect(file.suggestedFilename()).toBe('devices.csv');
      const text = readFileSync(await file.path(), 'utf8');
      // Spreadsheets take a file without this mark for one in the letters of their own country.
      expect(text.startsWith('\uFEFF')).toBe(true);
      const [head = '', ...lines] = text.slice(1).trim().split(/\r?\n/);
      const nameAt = head.split(',').indexOf('name');
      expect(lines.map((line) => line.split(',')[nameAt]).sort()).toEqual(slow);
      for (const line of lines) expect(line).toContain(site);
    }),
  );

  test(
    TASKS.enrolLaptop.task,
    play(TASKS.enrolLaptop, async (seat) => {
      const { person, url, ask, tell } = seat;
      const { page } = person;
      const [name, site] = ['LIS-LT-9001', 'Lisbon, floor 3'];
      await person.click(page.getByRole('button', { name: 'Enrol a device' }));
      const dialog = page.getByRole('dialog', { name: 'Enrol a device' });
      await person.type(dialog.getByLabel('Site (optional)'), site);
      await person.click(dialog.getByRole('button', { name: 'Create token' }));
      const commands = dialog.getByText(/svc_enr_/);
      await expect(commands).toContainText(`--server ${url}`);
      const token = /svc_enr_\S+/.exec((await commands.textContent()) ?? '')?.[0] ?? '';
      const { identity } = await enrolDevice(url, token, name);
      try {
        await person.press('Escape');
        await person.type(devices(page).getByRole('searchbox', { name: 'Search devices' }), name);
        await expect(rows(page)).toHaveCount(1);
        await expect(rows(page)).toContainText(name);
        await expect(rows(page)).toContainText(site);
        await expect(rows(page)).toContainText('Verdict pending');
        const found = await ask<{ items: EndpointRow[] }>('endpoint.list', {
          filter: { search: name },
          sort: [],
          limit: 1,
          offset: 0,
        });
        expect(found.items.map(({ id }) => id)).toEqual([identity.agentId]);
      } finally {
        await tell('fleet.agents.retire', { ids: [identity.agentId] });
      }
    }),
  );

  test(
    TASKS.whatIsSent.task,
    play(TASKS.whatIsSent, async (seat) => {
      const { person, ask } = seat;
      const { page } = person;
      const { name } = deviceWithoutLocation();
      await person.click(rows(page).getByRole('link', { name }));
      const absent = page.getByRole('region', { name: 'Not shown, and why' });
      await expect(absent).toContainText('Wi-Fi');
      await expect(absent).toContainText('permission');
      await person.click(page.getByRole('link', { name: 'What it says is sent, and by whose decision' }));

      interface Told {
        items: { item: string; on: boolean; every_seconds: number | null; decided_by: string }[];
      }
      const { items } = await ask<Told>('fleet.disclosure', {});
      const shown = page.getByRole('region', { name: /^The first window/ }).getByRole('listitem');
      await expect(shown).toHaveCount(items.length);
      for (const [index, { on, decided_by: by }] of items.entries()) {
        await expect(shown.nth(index)).toContainText(on ? /On, / : /Off, /);
        await expect(shown.nth(index)).toContainText(by === 'default' ? 'by default' : 'by IT');
      }
    }),
  );
});

test.describe('an administrator', () => {
  test.use({ role: 'admin' });

  test(
    TASKS.tokenOfSender.task,
    play(TASKS.tokenOfSender, async (seat) => {
      const { person } = seat;
      const { page } = person;
      const sender = 'simulated shop';
      await person.click(pageLink(page, 'Telemetry in'));
      interface Token {
        name: string;
        created_at: string;
        created_by: { id: string };
        last_used_at: string | null;
      }
      const { items } = await seat.ask<{ items: Token[] }>('otlp.tokens.list', { limit: 100 });
      const lastUse = (token: Token): number => Date.parse(token.last_used_at ?? '') || 0;
      // A demo that was started again has created another one by the same name.
      const [token] = items.filter(({ name }) => name === sender).toSorted((a, b) => lastUse(b) - lastUse(a));
      expect(token?.created_by.id).toBe('cli');
      const created = page.locator(`time[datetime="${token?.created_at}"]`);
      const row = page.getByRole('region', { name: 'Tokens', exact: true }).getByRole('row').filter({ has: created });
      await expect(row).toContainText(sender);
      await expect(row).toContainText('on the server’s command line');

      await person.click(pageLink(page, 'Audit'));
      await person.type(page.getByRole('combobox', { name: 'Action' }), 'OTLP token cr');
      await person.click(page.getByRole('option', { name: 'OTLP token created' }));
      const entry = page.getByRole('region', { name: 'Entries' }).getByRole('row', { name: new RegExp(sender) });
      await expect(entry.first()).toContainText('this server');
    }),
  );

  test(
    TASKS.colleague.task,
    play(TASKS.colleague, async (seat) => {
      const { person, url } = seat;
      const { page } = person;
      const email = 'colleague@fennmark.test';
      await person.click(pageLink(page, 'People and tokens'));
      await person.click(page.getByRole('button', { name: 'Invite' }));
      await person.type(page.getByLabel('E-mail (optional)'), email);
      await expect(page.getByRole('checkbox', { name: /Viewer/ })).toBeChecked();
      await person.click(page.getByRole('button', { name: 'Create link' }));
      const link = page.getByRole('dialog').getByText(url);
      await expect(link).toBeVisible();

      const browser = page.context().browser();
      const colleague = await browser?.newPage({ ignoreHTTPSErrors: true, storageState: { cookies: [], origins: [] } });
      if (!colleague) throw new Error('There is no browser.');
      await colleague.goto((await link.textContent()) ?? '');
      await expect(colleague.getByLabel('E-mail')).toHaveValue(email);
      await colleague.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await colleague.getByLabel('Password once more').fill(PASSWORD);
      await colleague.getByRole('button', { name: /sign in/i }).click();
      await expect(rows(colleague).first()).toContainText(/Healthy|Slow|\d of \d measured|Measuring|Something is off/);
      await expect(colleague.getByRole('button', { name: 'Enrol a device' })).toHaveCount(0);
      const read = async (): Promise<number> => (await colleague.request.get(`${url}/v1/endpoints`)).status();
      expect(await read()).toBe(200);

      await person.press('Escape');
      const row = page.getByRole('region', { name: 'People' }).getByRole('row', { name: new RegExp(email) });
      await expect(row).toContainText('Viewer');
      await person.click(row.getByRole('button', { name: 'Remove' }));
      await person.click(page.getByRole('dialog').getByRole('button', { name: 'Remove' }));
      await expect(row).toHaveCount(0);
      expect(await read()).toBeGreaterThanOrEqual(401);
      await colleague.context().close();
    }),
  );
});
