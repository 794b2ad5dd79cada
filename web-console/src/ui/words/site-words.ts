import { plural } from './format.ts';

/** What follows the site's own name: "Lisbon, floor 3", "Oslo, level B2". */
const FLOOR = /^(.+?),\s*((?:\S+\s+)?(?:floor|level|storey|basement)(?:\s+\S+)?)$/i;

/** The site that a device's place lies in, and its floor where it names one. */
export function readPlace(place: string): { site: string; floor: string | undefined } {
  const [, site = place, floor] = FLOOR.exec(place) ?? [];
  return { site, floor };
}

/** "4 sites, 7 floors": a floor is part of its site, and so is "Oslo, lab" where Oslo is a site. Empty without any. */
export function countPlaces(places: readonly string[]): string {
  const read = places.map(readPlace);
  const floors = read.filter(({ floor }) => floor !== undefined).length;
  const named = new Set(read.map(({ site }) => site));
  const sites = [...named].filter((site) => !named.has(site.split(',', 1)[0] ?? '') || !site.includes(',')).length;
  if (sites === 0) return '';
  return floors === 0 ? plural(sites, 'site') : `${plural(sites, 'site')}, ${plural(floors, 'floor')}`;
}
