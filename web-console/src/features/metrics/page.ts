import { definePage } from '../../ui/page/page.ts';
import { decodeMetricsSearch, METRICS_RANGE } from './metrics-search.ts';

export const metricsPage = definePage({
  path: '/metric-explorer',
  title: 'Metrics',
  icon: 'bars',
  group: 'explore',
  permission: 'otlp.read',
  words: ['explorer', 'series', 'charts'],
  namesWindow: true,
  search: decodeMetricsSearch,
  range: METRICS_RANGE,
  load: () => import('./metrics-page.tsx').then((module) => module.MetricsPage),
});
