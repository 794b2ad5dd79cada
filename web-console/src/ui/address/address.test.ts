import { type AnyRouter, createMemoryHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { describe, expect, it } from 'vitest';
import { keepRange } from './keep-range.ts';
import { knownSearch } from './known-search.ts';
import { parseSearch, stringifySearch, textOf } from './search-params.ts';
import { decodeRange, type RangeRule, type RangeSearch } from './time-range.ts';
import { changeSearch, type HistoryRule } from './use-search-change.ts';

const RULE: RangeRule = { names: ['1h', '6h', '7d'], usual: '1h', longestMs: 86_400_000 };

/** Two pages with a time range and one without, on the console's own pieces. */
function open(at: string) {
  const root = createRootRoute();
  const ranged = (path: string) =>
    createRoute({
      getParentRoute: () => root,
      path,
      validateSearch: knownSearch((raw): RangeSearch & { text?: string } => {
        const text = textOf(raw.text);
        return { ...(text ? { text } : {}), ...decodeRange(raw, RULE) };
      }),
      search: { middlewares: [keepRange(RULE)] },
    });
  const plain = createRoute({ getParentRoute: () => root, path: '/plain', validateSearch: knownSearch(() => ({})) });
  const routeTree = root.addChildren([ranged('/a'), ranged('/b'), plain]);
  const history = createMemoryHistory({ initialEntries: [at] });
  const router: AnyRouter = createRouter({ routeTree, history, parseSearch, stringifySearch });
  return {
    /** Where a link from here leads. */
    link: (to: string, search?: object): string =>
      router.buildLocation({ to, search, _includeValidateSearch: true } as never).href,
    /** What the page is given. */
    search: () => router.matchRoutes(router.latestLocation).at(-1)?.search,
    /** Where a change leads, and whether it makes a step; undefined for one that is dropped. */
    change: (part: object, { rule = 'step', path = '/a' }: { rule?: HistoryRule; path?: string } = {}) => {
      const asked: { replace: boolean }[] = [];
      const recorder = {
        latestLocation: router.latestLocation,
        navigate: (options: { replace: boolean }) => asked.push(options),
      };
      changeSearch(recorder as never, { path, part, rule });
      return asked.map((options) => ({
        href: router.buildLocation({ ...options, _includeValidateSearch: true } as never).href,
        step: !options.replace,
      }))[0];
    },
  };
}

describe('a change of what a page shows', () => {
  it('keeps everything else and makes a step', () => {
    expect(open('/a?range=6h').change({ text: 'x' })).toEqual({ href: '/a?range=6h&text=x', step: true });
    expect(open('/a?range=6h&text=x').change({ range: undefined })).toEqual({ href: '/a?text=x', step: true });
  });

  it('makes no step while one types', () => {
    expect(open('/a').change({ text: 'f' }, { rule: 'typing' })).toEqual({ href: '/a?text=f', step: false });
  });

  it('is dropped once the reader is on another page', () => {
    expect(open('/plain').change({ text: 'late' })).toBeUndefined();
    expect(open('/a/').change({ text: 'here' })).toBeDefined();
  });
});

describe('the range', () => {
  it('goes along to a page that has one', () => {
    const here = open('/a?range=7d&text=x');
    expect(here.link('/b')).toBe('/b?range=7d');
    expect(here.link('/a', { text: 'y' })).toBe('/a?text=y&range=7d');
    expect(here.link('/plain')).toBe('/plain');
  });

  it('gives way to the one that a link names', () => {
    expect(open('/a?range=7d').link('/b', { range: '6h' })).toBe('/b?range=6h');
  });
});

it('hands no value on that the page does not know', () => {
  expect(open('/a?range=99d&text=x&other=1').search()).toEqual({ text: 'x' });
  expect(open('/a?range=toString').search()).toEqual({});
});
