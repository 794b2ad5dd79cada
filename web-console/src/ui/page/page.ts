import type { Permission } from '@svc/contracts/permissions';
import type { TimeRule } from '../address/time-range.ts';
import type { IconName } from '../controls/icons.tsx';

/** Where the navigation lists a page, in this order; the first has no heading. */
export const NAV_GROUPS = [
  { name: 'fleet', heading: undefined },
  { name: 'explore', heading: 'Explore' },
  { name: 'administration', heading: 'Administration' },
] as const;
export type NavGroupName = (typeof NAV_GROUPS)[number]['name'];

/** What shell, navigation, palette, breadcrumbs and the accessibility suite know of a page. */
export interface PageFacts {
  /** In navigation, palette, breadcrumbs and the window's title. */
  title: string;
  icon: IconName;
  /** Absent: no entry in navigation and palette, since it is reached from another page. */
  group?: NavGroupName;
  /** Who lacks it sees no link to the page; absent: everybody who is signed in. */
  permission?: Permission;
  /** Other words that find it in the palette, lower case. */
  words?: readonly string[];
  /** The page sets the window's title itself, to what it shows. */
  namesWindow?: true;
  /** Searches of the address under which it looks different enough to be checked for accessibility each, such as `?tab=roles`. */
  views?: readonly string[];
}

/**
 * One page of the console, the manifest that each feature's `page.ts` gives; `app/router.tsx` lists them. A page without a range of its own
 * carries that of the page before where `carriesRange` says so.
 */
export interface Page<Path extends string, Search extends object> extends PageFacts {
  path: Path;
  /** Makes the page's search of the address: what it leaves out is taken out of the address too. */
  search: (raw: Record<string, unknown>) => Search;
  /** One without a usual range is never taken along to the page: what it lists would be fewer than one asked for. */
  range?: TimeRule;
  carriesRange?: true;
  /** Values of the address that mean the same as none. */
  usual?: Readonly<Record<string, string>>;
  /** The module that is loaded when the page is opened, and the component in it. */
  load: () => Promise<React.ComponentType>;
}

/** Keeps the literal path and the type of the search, which links are checked against. */
export const definePage = <const Path extends string, Search extends object>(page: Page<Path, Search>): Page<Path, Search> =>
  page;

/** The search of a page whose address asks for nothing. */
export const noSearch = (): Record<never, never> => ({});

/** The search of a page that has nothing but tabs: the first needs no word. */
export const tabSearch =
  <Tab extends string>(tabs: readonly [Tab, ...Tab[]]) =>
  (raw: Record<string, unknown>): { tab?: Tab } => {
    const tab = tabs.find((name) => name === raw.tab);
    return tab && tab !== tabs[0] ? { tab } : {};
  };
