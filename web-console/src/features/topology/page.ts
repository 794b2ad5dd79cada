import { definePage } from '../../ui/page/page.ts';
import { decodeMapSearch, MAP_RANGE } from './map-search.ts';

export const mapPage = definePage({
  path: '/topology',
  title: 'Service map',
  icon: 'hops',
  group: 'explore',
  permission: 'otlp.read',
  words: ['topology', 'dependencies', 'calls'],
  search: decodeMapSearch,
  range: MAP_RANGE,
  load: () => import('./map-page.tsx').then((module) => module.MapPage),
});
