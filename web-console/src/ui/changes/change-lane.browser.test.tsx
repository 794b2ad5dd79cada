import { expect, it } from 'vitest';
import { page } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { me, shellAnswers } from '../../testing/examples.ts';
import { startFakeServer } from '../../testing/fake-server.ts';
import { show } from '../../testing/show.tsx';
import { TimeBrush } from '../charts/time-brush.tsx';
import { ChangeLane } from './change-lane.tsx';

const FROM = Date.parse('2026-11-24T12:00:00.000Z');
const span = { from: FROM, to: FROM + 3_600_000 };
const mark = { id: '01990000-0000-7000-8000-00000000c001', number: 12, kind: 'deploy' as const, title: 'shop to production' };
const marks = { items: [{ ...mark, target: 'shop.example', prefix: null, occurred_at: '2026-11-24T12:30:00.000Z' }], total: 1 };

async function open(permissions: Parameters<typeof me>[0], targets = ['https://shop.example/']) {
  const server = startFakeServer({ ...shellAnswers, 'identity.me': me(permissions), 'changes.marks': marks });
  await show(
    <ChangeLane targets={targets} span={span}>
      <TimeBrush strip={span} stepMs={60_000} shown={span} onBrush={() => {}}>
        {() => <svg role="img" aria-label="Bars" />}
      </TimeBrush>
    </ChangeLane>,
  );
  return server;
}

it('marks each change at its time, and leads to it', async () => {
  const server = await open(['change.read']);
  const link = page.getByRole('link', { name: /Deployment 12, shop to production/ });
  await expect.element(link).toHaveAttribute('href', '/changes?text=%2312&from=2026-11-24T12:00:00Z&to=2026-11-24T13:00:00Z');
  await expect.element(link).toHaveStyle({ left: '50%' });
  expect(server.calls('changes.marks').at(-1)).toMatchObject({
    targets: ['https://shop.example/'],
    from: '2026-11-24T12:00:00.000Z',
  });
  expect(await findBarriers()).toEqual([]);
});

const drawn = (): (number | undefined)[] =>
  [...document.querySelectorAll<HTMLElement>('.marklines i')].map((line) => {
    const within = line.closest('.brush')?.getBoundingClientRect();
    return within && Math.round(((line.getBoundingClientRect().left - within.left) / within.width) * 100);
  });

it('draws each over the charts inside of it, at its time, and no more once it is switched off', async () => {
  await open(['change.read']);
  await expect.poll(drawn).toEqual([50]);
  await page.getByText('Changes', { exact: true }).click();
  await expect.poll(drawn).toEqual([]);
  await page.getByText('Changes', { exact: true }).click();
  await expect.poll(drawn).toEqual([50]);
  localStorage.removeItem('svc.changes.marks');
});

it.each(['in one card with it', 'above a card of its own'])('is on the scale of the strip below it, %s', async (where) => {
  startFakeServer({ ...shellAnswers, 'identity.me': me(['change.read']), 'changes.marks': marks });
  const isOne = where.startsWith('in one');
  const strip = (
    <TimeBrush strip={span} stepMs={60_000} shown={span} onBrush={() => {}}>
      {() => <svg role="img" aria-label="Bars" />}
    </TimeBrush>
  );
  const lane = (
    <ChangeLane targets={['shop.example']} span={span}>
      {isOne ? strip : <section className="card">{strip}</section>}
    </ChangeLane>
  );
  await show(isOne ? <section className="card">{lane}</section> : lane);
  await expect.element(page.getByRole('link', { name: /Deployment 12/ })).toBeInTheDocument();
  const edges = (selector: string): number[] => {
    const box = document.querySelector(selector)?.getBoundingClientRect();
    return [box?.left, box?.right].map((px) => Math.round(px ?? Number.NaN));
  };
  expect(edges('.chg-marks')).toEqual(edges('.brush'));
});

it('shows the charts to who may not see changes, without a mark', async () => {
  await open(['test.read']);
  await expect.element(page.getByRole('img', { name: 'Bars' })).toBeInTheDocument();
  expect(drawn()).toEqual([]);
});

it('is switched off for all pages, and stays so', async () => {
  await open(['change.read']);
  await page.getByText('Changes', { exact: true }).click();
  await expect.element(page.getByRole('link')).not.toBeInTheDocument();
  expect(localStorage.getItem('svc.changes.marks')).toBe('off');
  localStorage.removeItem('svc.changes.marks');
});

it('is nothing for who may not see changes', async () => {
  const server = await open(['test.read']);
  await expect.poll(() => server.calls('identity.me').length).toBeGreaterThan(0);
  await expect.element(page.getByText('Changes', { exact: true })).not.toBeInTheDocument();
  expect(server.calls('changes.marks')).toEqual([]);
});
