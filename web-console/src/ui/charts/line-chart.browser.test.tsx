import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { show } from '../../testing/show.tsx';
import { createCrosshair } from './crosshair.ts';
import { type ChartLine, LineChart } from './line-chart.tsx';

const MINUTE = 60_000;
const FROM = Date.UTC(2026, 10, 24, 8);
const TO = FROM + 60 * MINUTE;

/** A line with a reading at each of these minutes, whose value is the minute itself. */
function lineAt(label: string, minutes: readonly number[]): ChartLine {
  const data = { ts: minutes.map((minute) => FROM + minute * MINUTE), avg: minutes, min: minutes, max: minutes };
  return { label, data, format: (value) => `${value} ms`, look: 'solid' };
}

const NONE: ReadonlySet<string> = new Set();
const DENSE = Array.from({ length: 61 }, (_, minute) => minute);

async function draw(lines: readonly ChartLine[], hidden: ReadonlySet<string> = NONE) {
  const crosshair = createCrosshair();
  const { container } = await show(
    <LineChart
      {...{ title: 'Round trip', lines, from: FROM, to: TO, stepMs: MINUTE, rawStepMs: MINUTE, crosshair, hidden }}
      gapWord={() => 'not measured'}
      threshold={undefined}
      range={[0, 60]}
    />,
  );
  await expect.poll(() => container.querySelector('canvas')?.width ?? 0).toBeGreaterThan(0);
  return { crosshair, container };
}

const plot = () => page.getByRole('slider', { name: /^Round trip, / });
const focus = (): void => (plot().element() as HTMLElement).focus();
const value = () => plot().element().getAttribute('aria-valuetext');

it('is read by arrow keys, reading after reading and to both ends', async () => {
  await draw([lineAt('Gateway', DENSE)]);
  expect(value()).toBe('no time chosen');
  focus();
  await userEvent.keyboard('{End}');
  await expect.poll(value).toMatch(/: 60 ms$/);
  await userEvent.keyboard('{ArrowLeft}{ArrowLeft}');
  await expect.poll(value).toMatch(/: 58 ms$/);
  await userEvent.keyboard('{Home}{ArrowLeft}');
  await expect.poll(value).toMatch(/: 0 ms$/);
  expect(await findBarriers()).toEqual([]);
});

it('pins a time by Enter, so that the pointer leaves it, and lets go of it by Escape', async () => {
  const { crosshair } = await draw([lineAt('Gateway', DENSE)]);
  focus();
  await userEvent.keyboard('{Home}{Enter}');
  expect(crosshair.read()).toEqual({ at: FROM, pinned: true });
  await expect.element(page.getByText('pinned')).toBeVisible();
  await userEvent.hover(plot());
  expect(crosshair.read().at).toBe(FROM);
  await userEvent.keyboard('{Escape}');
  expect(crosshair.read()).toEqual({ at: undefined, pinned: false });
});

it('shows the values of all lines where the pointer is, in a box inside of the chart', async () => {
  const { crosshair, container } = await draw([lineAt('Gateway', DENSE), lineAt('ISP', DENSE)]);
  await userEvent.hover(plot());
  await expect.poll(() => crosshair.read().at).toBeGreaterThan(FROM);
  await expect.poll(() => container.querySelector('.hairbox')?.textContent).toMatch(/gateway \d+ ms {2}isp \d+ ms$/);
  const [box, chart] = [container.querySelector('.hairbox'), container.querySelector('.chart')].map((one) =>
    one?.getBoundingClientRect(),
  );
  expect(box?.left ?? -1).toBeGreaterThanOrEqual(chart?.left ?? 0);
  expect(box?.right ?? 0).toBeLessThanOrEqual((chart?.right ?? 0) + 1);
});

it('says "not measured" in a gap, and takes no value from its edge', async () => {
  const { crosshair } = await draw([
    lineAt(
      'Gateway',
      DENSE.filter((minute) => minute < 20 || minute > 40),
    ),
  ]);
  crosshair.move(FROM + 30 * MINUTE);
  await expect.poll(value).toMatch(/: not measured$/);
});

it('leaves out a line that its legend switched off', async () => {
  const { container, crosshair } = await draw([lineAt('Gateway', DENSE), lineAt('ISP', DENSE)], new Set(['ISP']));
  crosshair.move(FROM + 30 * MINUTE);
  await expect.poll(() => container.querySelector('.hairbox')?.textContent).toMatch(/:30 30 ms$/);
  // To whoever listens as to whoever looks.
  expect(value()).toMatch(/: 30 ms$/);
});

it('stays a chart without a reading: its keys read nothing, and it is no barrier', async () => {
  await draw([lineAt('Gateway', [])]);
  focus();
  await userEvent.keyboard('{End}{ArrowLeft}');
  expect(value()).toBe('no time chosen');
  expect(await findBarriers()).toEqual([]);
});
