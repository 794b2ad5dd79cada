/** Where the focus was on a page: on one of the links to this address, or on the table row of that link. It outlives the elements. */
interface Place {
  href: string;
  /** Which of the links to the same address, from 0. */
  nth: number;
  isRow: boolean;
}

/** Pages that are remembered; the oldest are forgotten. */
const MAX_PAGES = 100;

const linksTo = (href: string): HTMLAnchorElement[] =>
  [...document.querySelectorAll('a')].filter((link) => link.getAttribute('href') === href);

/** The link with the focus, or the first of the row with it, if there is one. */
export function focusedPlace(): Place | undefined {
  const focused = document.activeElement;
  const isRow = focused instanceof HTMLTableRowElement;
  const link = isRow ? focused.querySelector('a') : focused?.closest('a');
  const href = link?.getAttribute('href');
  return link && href ? { href, nth: linksTo(href).indexOf(link), isRow } : undefined;
}

/** The same link, or another one to the same address, or its row; undefined while the page has none. */
export function findPlace({ href, nth, isRow }: Place): HTMLElement | undefined {
  const links = linksTo(href);
  const link = links[nth] ?? links[0];
  return isRow ? (link?.closest('tr') ?? undefined) : link;
}

/** Places by the key of their entry in the browser's history. */
export function createLeftPlaces() {
  const places = new Map<string, Place>();
  return {
    leave(key: string, place: Place | undefined): void {
      places.delete(key);
      if (place) places.set(key, place);
      const [oldest] = places.keys();
      if (places.size > MAX_PAGES && oldest !== undefined) places.delete(oldest);
    },
    placeOf: (key: string): Place | undefined => places.get(key),
  };
}
