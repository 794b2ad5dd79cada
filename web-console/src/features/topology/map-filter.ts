import type { MapEdge, MapNode, Topology } from '../../api-types.ts';
import { isFailing } from './map-fault.ts';
import type { MapSearch } from './map-search.ts';

export type MapFilter = Pick<MapSearch, 'find' | 'only'>;

export const isFiltered = ({ find, only }: MapFilter): boolean => find !== undefined || only !== undefined;

/**
 * The part of a map that somebody looks for: nodes whose name holds the text, with all that they call and are called by; of `failing`, only
 * what fails. The same objects in the same order, so that what is drawn of them keeps its place.
 */
export function filterMap(map: Topology, filter: MapFilter): Topology {
  if (!isFiltered(filter)) return map;
  const text = filter.find?.trim().toLowerCase() ?? '';
  const found = new Set(map.nodes.filter(({ name }) => name.toLowerCase().includes(text)).map(({ id }) => id));
  const counts = (of: MapEdge | MapNode): boolean => filter.only !== 'failing' || isFailing(of);
  const edges = map.edges.filter((edge) => counts(edge) && (found.has(edge.source) || found.has(edge.target)));
  const ends = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const nodes = map.nodes.filter((node) => ends.has(node.id) || (found.has(node.id) && counts(node)));
  return { ...map, nodes, edges };
}
