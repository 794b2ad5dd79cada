import type { FleetSummary } from '@svc/contracts/endpoint/view';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../../testing/accessibility.ts';
import { fleetSummary } from '../../../testing/examples.ts';
import { show } from '../../../testing/show.tsx';
import { FilterChips } from './filter-chips.tsx';
import type { FleetSearch } from './fleet-search.ts';

interface ExampleProps {
  first?: FleetSearch;
  /** Null while it loads, or where it failed. */
  summary?: FleetSummary | null;
  changes?: FleetSearch[];
}

function Example({ first = {}, summary = fleetSummary(), changes = [] }: ExampleProps) {
  const [search, setSearch] = useState(first);
  const onFilter = (change: FleetSearch): void => {
    changes.push(change);
    setSearch({ ...search, ...change });
  };
  return (
    <div className="tools">
      <FilterChips search={search} summary={summary ?? undefined} onFilter={onFilter} />
    </div>
  );
}

const chip = (name: RegExp | string) => page.getByRole('button', { name });

it('offers what the fleet has, and adds and takes away one value after the other', async () => {
  const changes: FleetSearch[] = [];
  await show(<Example changes={changes} />);
  await chip('Site').click();
  await page.getByText('Porto', { exact: true }).click();
  await page.getByText('Kraków', { exact: true }).click();
  await page.getByRole('checkbox', { name: 'Porto' }).click();
  expect(changes).toEqual([{ site: ['Porto'] }, { site: ['Porto', 'Kraków'] }, { site: ['Kraków'] }]);
  expect(await findBarriers()).toEqual([]);
});

it('gives the focus back by Escape', async () => {
  await show(<Example />);
  await chip('Site').click();
  await expect.element(page.getByRole('checkbox', { name: 'Porto' })).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByRole('checkbox', { name: 'Porto' })).not.toBeInTheDocument();
  await expect.element(chip('Site')).toHaveFocus();
});

it('is removed by its cross, whole', async () => {
  const changes: FleetSearch[] = [];
  await show(<Example first={{ site: ['Porto'], gateway_rtt_above: 25 }} changes={changes} />);
  await page.getByRole('button', { name: /^Remove filter site$/i }).click();
  expect(changes).toEqual([{ site: undefined }]);
  await expect.element(page.getByRole('button', { name: /^Remove filter site$/i })).not.toBeInTheDocument();
  await expect.element(page.getByRole('button', { name: /^Remove filter gateway/i })).toBeVisible();
});

it('takes a number by Enter, and nothing that is none', async () => {
  const changes: FleetSearch[] = [];
  await show(<Example changes={changes} />);
  await chip('Filter').click();
  await page.getByRole('button', { name: 'Wi-Fi signal' }).click();
  const field = page.getByRole('textbox', { name: /Wi-Fi signal/ });
  await field.fill('12');
  await userEvent.keyboard('{Enter}');
  await expect.element(field).toHaveAttribute('aria-invalid', 'true');
  expect(changes).toEqual([]);
  await field.fill('-70');
  await userEvent.keyboard('{Enter}');
  expect(changes).toEqual([{ wifi_rssi_below: -70 }]);
  await expect.element(field).not.toBeInTheDocument();
});

it('says that no device reports one yet', async () => {
  await show(<Example summary={fleetSummary({ sites: [] })} />);
  await chip('Site').click();
  await expect.element(page.getByText('No device reports one yet')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('shows what is set while the choices load or could not be read', async () => {
  await show(<Example first={{ site: ['Porto'] }} summary={null} />);
  await chip(/^Site Porto$/).click();
  await expect.element(page.getByRole('checkbox', { name: 'Porto' })).toBeChecked();
  expect(await findBarriers()).toEqual([]);
});
