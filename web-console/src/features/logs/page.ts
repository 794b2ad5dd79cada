import { definePage } from '../../ui/page/page.ts';
import { decodeLogsSearch, LOGS_RANGE } from './logs-search.ts';

export const logsPage = definePage({
  path: '/logs',
  title: 'Logs',
  icon: 'lines',
  group: 'explore',
  permission: 'otlp.read',
  words: ['records', 'messages', 'errors'],
  search: decodeLogsSearch,
  range: LOGS_RANGE,
  load: () => import('./logs-page.tsx').then((module) => module.LogsPage),
});
