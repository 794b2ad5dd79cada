import { ROLE_PERMISSIONS } from '@svc/contracts/permissions';
import { expect, it } from 'vitest';
import { auditPage } from '../features/audit/page.ts';
import { devicePage } from '../features/endpoint/device/page.ts';
import { fleetPage } from '../features/endpoint/fleet/page.ts';
import { peoplePage } from '../features/identity/page.ts';
import { settingsPage } from '../features/settings/page.ts';
import { tracesPage } from '../features/traces/page.ts';
import { listPages } from '../ui/page/use-listed-pages.ts';

const routes = [fleetPage, devicePage, tracesPage, auditPage, peoplePage, settingsPage].map(({ path, ...page }) => ({
  fullPath: path,
  options: { staticData: { page } },
}));
const pathsOf = (permissions: readonly string[]): string[] => listPages(routes, permissions).map(({ path }) => path);

it('lists no page to somebody who may not open it', () => {
  expect(pathsOf([])).toEqual(['/settings']);
  expect(pathsOf(ROLE_PERMISSIONS.auditor)).toEqual(['/audit', '/settings']);
  expect(pathsOf(ROLE_PERMISSIONS.viewer)).toEqual(['/fleet', '/traces', '/settings']);
});

it('lists every page of a group to whoever may do everything, none that another page leads to', () => {
  expect(pathsOf(ROLE_PERMISSIONS.admin)).toEqual(['/fleet', '/traces', '/audit', '/identity', '/settings']);
});
