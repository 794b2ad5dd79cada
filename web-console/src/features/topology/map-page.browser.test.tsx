import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { mapEdge, mapNode, serviceMap, shellAnswers } from '../../testing/examples.ts';
import { type Answers, Refusal, SILENCE, WAITING } from '../../testing/fake-server.ts';
import { openPage } from '../../testing/show.tsx';

const shop = serviceMap(
  [mapNode('web'), mapNode('payment'), mapNode('cart')],
  [mapEdge('web', 'payment', { errors: 12, error_ratio: 0.12 }), mapEdge('web', 'cart')],
);
const open = (map: Answers['topology.map'], path = '/topology') => openPage(path, { ...shellAnswers, 'topology.map': map });
const node = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}, `) });

it('draws callers left of whom they call, names what fails, and is no barrier', async () => {
  await open(shop);
  await expect.poll(() => document.querySelector('h1')?.textContent).toMatch(/^web to payment fails 12% of its calls\.$/);
  const [web, cart] = [node('web').element(), node('cart').element()].map((one) => one.getBoundingClientRect());
  expect(web?.right ?? 0).toBeLessThan(cart?.left ?? 0);
  expect(await findBarriers()).toEqual([]);
});

it('is narrowed by name and by what fails, and its address says so', async () => {
  const { at } = await open(shop);
  await page.getByRole('button', { name: 'Failing', exact: true }).click();
  await expect.element(node('cart')).not.toBeInTheDocument();
  await expect.poll(at).toContain('only=failing');
  await page.getByLabelText('Find on the map').fill('nowhere');
  await page.getByRole('button', { name: 'Show the whole map' }).click();
  await expect.element(node('cart')).toBeVisible();
});

it('lists the connections of a node chosen from the keyboard', async () => {
  await open(shop);
  await expect.element(node('cart')).toBeVisible();
  (node('cart').element() as SVGElement).focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('heading', { name: 'Connections of cart' })).toBeVisible();
  await expect.element(node('cart')).toHaveAttribute('aria-pressed', 'true');
});

it('shows its shape while it loads', async () => {
  await open(WAITING);
  await expect.poll(() => document.querySelector('h1 .ghost')).not.toBeNull();
  await expect.element(page.getByRole('heading', { level: 1, name: 'Service map, loading' })).toBeInTheDocument();
});

it('says what to do where nothing called anything', async () => {
  await open(serviceMap([], []));
  await expect.element(page.getByRole('link', { name: 'Telemetry in' }).last()).toBeVisible();
  await expect.element(page.getByText('No calls and no flows yet')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('says that a permission is missing, without a try that cannot help', async () => {
  await open(new Refusal('forbidden', 'Your role cannot read telemetry.'));
  await expect
    .poll(() => document.querySelector('[role=alert]')?.textContent)
    .toMatch(/^No permissionYour role cannot read telemetry\./);
  await expect.element(page.getByRole('button', { name: 'Try again' })).not.toBeInTheDocument();
  expect(await findBarriers()).toEqual([]);
});

it('fills by itself once the server answers', async () => {
  const { server } = await open(SILENCE);
  await expect.element(page.getByText('The server does not answer')).toBeVisible();
  expect(await findBarriers()).toEqual([]);
  server.answer({ 'topology.map': shop });
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect.element(node('payment')).toBeVisible();
});
