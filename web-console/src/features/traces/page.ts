import { definePage } from '../../ui/page/page.ts';
import { decodeTraceSearch } from './detail/trace-search.ts';
import { decodeTracesSearch, TRACES_RANGE } from './traces-search.ts';

export const tracesPage = definePage({
  path: '/traces',
  title: 'Traces',
  icon: 'waterfall',
  group: 'explore',
  permission: 'otlp.read',
  words: ['spans', 'requests', 'latency'],
  search: decodeTracesSearch,
  range: TRACES_RANGE,
  load: () => import('./traces-page.tsx').then((module) => module.TracesPage),
});

export const tracePage = definePage({
  path: '/traces/$id',
  title: 'Trace',
  icon: 'waterfall',
  permission: 'otlp.read',
  namesWindow: true,
  search: decodeTraceSearch,
  carriesRange: true,
  load: () => import('./detail/trace-page.tsx').then((module) => module.TracePage),
});
