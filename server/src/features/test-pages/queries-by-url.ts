import { RunsQuery } from '@svc/contracts/tests/calls';
import { SORTS_OF_TESTS, TestListQuery } from '@svc/contracts/tests/views';
import { z } from 'zod';
import { listLimitQuery } from '#api';

/** Query strings give one value as text and several as a list. */
const toList = (value: unknown): unknown => (value === undefined || Array.isArray(value) ? value : [value]);
const several = <One extends z.ZodType>(one: One, max: number) => z.preprocess(toList, z.array(one).max(max).optional());

const { shape } = TestListQuery;

/** `name` or `-name`; others are refused where they are read. */
const toSort = (value: unknown): unknown => {
  const list = toList(value);
  if (!Array.isArray(list)) return list;
  return list.map((text) => ({ by: String(text).replace(/^-/, ''), descending: String(text).startsWith('-') }));
};

const filters = {
  search: shape.search,
  state: several(shape.state.unwrap().element, 5),
  type: several(shape.type.unwrap().element, 7),
  runner: several(shape.runner.unwrap().element, 20),
  label: several(shape.label.unwrap().element, 10),
  sort: z
    .preprocess(toSort, shape.sort)
    .describe(`Columns, the first weighs most, with - in front for descending: ${SORTS_OF_TESTS.join(', ')}.`),
};

/** The filters of the list as they stand in a URL. */
export const ListByUrl = z.object({
  ...filters,
  limit: listLimitQuery,
  cursor: shape.cursor,
  offset: z.coerce.number().int().min(0).max(1_000_000).optional(),
});
export const CsvByUrl = z.object(filters);

const successByUrl = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean().optional(),
);

/** Runs of a test as they are asked for in a URL. */
export const RunsByUrl = RunsQuery.omit({ id: true }).extend({
  success: successByUrl,
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
/** The same for a file, which has all of them. */
export const RunsOfFile = RunsQuery.omit({ limit: true, cursor: true }).extend({ success: successByUrl });
