import { textOf } from '../../ui/address/search-params.ts';

const MODES = ['new', 'describe', 'edit', 'clone'] as const;
export type DrawerMode = (typeof MODES)[number];

/** The drawer beside a page of tests, as its address has it. */
export interface DrawerSearch {
  drawer?: DrawerMode | undefined;
  /** The test that is edited or cloned; on a test's own page it is that one. */
  of?: string | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A drawer that names no test where it needs one stays shut. */
export function decodeDrawer(raw: Record<string, unknown>): DrawerSearch {
  const drawer = MODES.find((mode) => mode === textOf(raw.drawer));
  const of = textOf(raw.of);
  if (drawer === undefined) return {};
  if (drawer === 'new' || drawer === 'describe') return { drawer };
  return of !== undefined && UUID.test(of) ? { drawer, of } : {};
}
