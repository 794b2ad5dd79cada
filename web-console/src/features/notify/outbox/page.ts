import { definePage } from '../../../ui/page/page.ts';
import { decodeOutboxSearch } from './outbox-search.ts';

export const outboxPage = definePage({
  path: '/notify/outbox',
  title: 'Outbox',
  icon: 'bell',
  permission: 'incident.read',
  search: decodeOutboxSearch,
  views: ['?state=dead'],
  load: () => import('./outbox-page.tsx').then((module) => module.OutboxPage),
});
