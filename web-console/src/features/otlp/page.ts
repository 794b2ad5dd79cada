import { definePage, noSearch } from '../../ui/page/page.ts';

export const connectorsPage = definePage({
  path: '/otlp',
  title: 'Connectors',
  icon: 'plug',
  group: 'administration',
  permission: 'otlp.read',
  words: ['opentelemetry', 'otlp', 'tokens', 'export', 'set aside'],
  search: noSearch,
  load: () => import('./connectors-page.tsx').then((module) => module.ConnectorsPage),
});
