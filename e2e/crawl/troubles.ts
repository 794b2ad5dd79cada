import type { Page } from '@playwright/test';

/** From now on the server answers no call of the page; gives what ends it. */
export async function beginOutage(page: Page): Promise<() => Promise<void>> {
  const calls = '**/trpc/**';
  await page.route(calls, (route) => route.fulfill({ status: 503, body: '' }));
  return () => page.unroute(calls);
}

/**
 * As after an upgrade of the server: what the page has not loaded yet of the version that it belongs to is gone. A document that is
 * loaded anew is of the new version, whose files are all there.
 */
export async function loseChunks(page: Page): Promise<void> {
  const files = '**/assets/*.js';
  let isOld = true;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isOld = false;
  });
  await page.route(files, (route) => (isOld ? route.fulfill({ status: 404, body: '' }) : route.fallback()));
}

/** As after the session's last hour: the browser has none to show. */
export const expireSession = (page: Page): Promise<void> => page.context().clearCookies();
