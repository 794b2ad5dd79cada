import { definePage, noSearch } from '../../ui/page/page.ts';

export const telemetryInPage = definePage({
  path: '/otlp',
  title: 'Telemetry in',
  icon: 'plug',
  group: 'administration',
  permission: 'otlp.read',
  words: ['opentelemetry', 'otlp', 'tokens', 'export', 'set aside'],
  search: noSearch,
  load: () => import('./telemetry-in-page.tsx').then((module) => module.TelemetryInPage),
});
