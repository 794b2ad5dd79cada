import { definePage } from '../../ui/page/page.ts';
import { decodeConnectorsSearch } from './connectors-search.ts';

/** The first of the pages of notifications, and the one that navigation and palette lead to. */
export const notifyPage = definePage({
  path: '/notify',
  title: 'Notifications',
  icon: 'bell',
  group: 'administration',
  permission: 'incident.read',
  words: ['connectors', 'pagerduty', 'opsgenie', 'slack', 'teams', 'servicenow', 'jira', 'e-mail', 'webhook', 'rules', 'outbox'],
  search: decodeConnectorsSearch,
  load: () => import('./connectors-page.tsx').then((module) => module.ConnectorsPage),
});
