import { expect, it } from 'vitest';
import { shapeOffsetPage, shapeRange, shapeTrace, without } from './shape-answers.ts';

it('leaves out what only charts need, wherever it stands', () => {
  expect(without('strip')({ items: [{ name: 'a', strip: [1, 2] }], strip: 1 })).toEqual({ items: [{ name: 'a' }] });
});

it('keeps of a long trace its root, what failed and what worked longest, in its order', () => {
  const span = (i: number) => ({
    ...{ id: `s${i}`, parent: i === 0 ? '' : 's0', status: i === 150 ? 'error' : 'unset', own_ns: i, critical: [0, 1] },
  });
  const { spans, spans_left_out: left } = shapeTrace({ spans: Array.from({ length: 300 }, (_, i) => span(i)) }) as {
    spans: { id: string; critical?: unknown }[];
    spans_left_out: number;
  };
  expect(spans).toHaveLength(120);
  expect(left).toBe(180);
  expect(spans[0]).toEqual({ id: 's0', parent: '', status: 'unset', own_ns: 0 });
  expect(spans.slice(1, 3).map(({ id }) => id)).toEqual(['s150', 's182']);
  expect(spans.at(-1)?.id).toBe('s299');
});

it('gives a list of rows a cursor, until its end', () => {
  expect(shapeOffsetPage(20)({ items: [1, 2], matched: 30 })).toMatchObject({ next_cursor: '22' });
  expect(shapeOffsetPage(28)({ items: [1, 2], matched: 30 })).toMatchObject({ next_cursor: null });
  expect(shapeOffsetPage(28)({ items: [], matched: 30 })).toMatchObject({ next_cursor: null });
});

it('shows so many series as can be compared', () => {
  expect(shapeRange({ matched: 99, series: Array(30).fill({}) })).toEqual({ matched: 99, series: Array(20).fill({}) });
});
