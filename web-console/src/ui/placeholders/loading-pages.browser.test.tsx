import { ROLE_PERMISSIONS } from '@svc/contracts/permissions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { me, shellAnswers } from '../../testing/examples.ts';
import { WAITING } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';

const PHONE_PX = 390;
const ID = '0197a000-0000-7000-8000-000000000001';
const LISTS = [
  ...['/fleet', '/tests', '/unwatched', '/incidents', '/rum', '/changes', '/change-webhooks', '/runners'],
  ...['/notify', '/notify/rules', '/notify/outbox', '/notify/inbound', '/traces', '/logs', '/metric-explorer', '/audit'],
  ...['/topology', '/identity', '/otlp', '/settings', '/first-run'],
];
const DETAILS = [
  ...[`/fleet/${ID}`, `/tests/${ID}`, `/incidents/${ID}`, `/change-webhooks/${ID}`, `/notify/inbound/${ID}`],
  ...['/traces/0af7651916cd43dd8448eb211c80319c', '/rum/shop', '/rum/shop/www.example.com'],
];

beforeAll(() => page.viewport(PHONE_PX, 844));
afterAll(() => page.viewport(1280, 900));

const scrollsSideways = (element: Element): boolean =>
  ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(element).overflowX);

/** The outermost parts of the page that go beyond its right edge; what scrolls in a box of its own does not count. */
function findTooWide(main: Element): string[] {
  const found: string[] = [];
  const look = (parent: Element): void => {
    for (const child of parent.children) {
      const { right, width } = child.getBoundingClientRect();
      if (width > 1 && right > PHONE_PX + 0.5) found.push(`${child.outerHTML.slice(0, 80)} ends at ${Math.round(right)} px`);
      else if (!scrollsSideways(child)) look(child);
    }
  };
  look(main);
  return found;
}

it.each([...LISTS, ...DETAILS])('keeps within a phone while %s loads', async (path) => {
  const { container } = await openPage(path, { ...shellAnswers, 'identity.me': me(ROLE_PERMISSIONS.admin) }, WAITING);
  await expect.poll(() => container.querySelector('.main .ghost, .main [aria-busy=true], .main [class*=ghost]')).not.toBeNull();
  const main = container.querySelector('.main') ?? container;
  expect(findTooWide(main)).toEqual([]);
  expect(main.scrollWidth).toBeLessThanOrEqual(main.clientWidth);
});
