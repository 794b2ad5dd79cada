import { expect, it } from 'vitest';
import { findBarriers } from '../../testing/accessibility.ts';
import { show } from '../../testing/show.tsx';
import { TableScroll } from './table-scroll.tsx';

const table = (view: string, word: string, rows = 100) => (
  <div style={{ height: 200, display: 'flex', flexDirection: 'column' }}>
    <TableScroll view={view}>
      <table aria-label="Things">
        <tbody>
          {Array.from({ length: rows }, (_, row) => row).map((row) => (
            <tr key={row}>
              <td>{`${word} ${row}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  </div>
);

const boxIn = (container: HTMLElement): HTMLElement => {
  const box = container.querySelector<HTMLElement>('.scroll');
  if (!box) throw new Error('no box that scrolls');
  return box;
};

it('stays where it is for new values, and starts another view at its first row', async () => {
  const { container, rerender } = await show(table('page 1', 'old'));
  const box = boxIn(container);
  box.scrollTop = 600;
  expect(box.scrollTop).toBe(600);
  await rerender(table('page 1', 'new'));
  expect(box.textContent).toContain('new 0');
  expect(box.scrollTop).toBe(600);
  await rerender(table('page 2', 'other'));
  expect(box.textContent).toContain('other 0');
  expect(box.scrollTop).toBe(0);
});

it('starts at the first row also where the view changes with its rows', async () => {
  const { container, rerender } = await show(table('all', 'one'));
  boxIn(container).scrollTop = 300;
  await rerender(table('found', 'two', 40));
  expect(boxIn(container).scrollTop).toBe(0);
});

it('is no barrier', async () => {
  const { container } = await show(table('page 1', 'short', 2));
  expect(await findBarriers(container)).toEqual([]);
});
