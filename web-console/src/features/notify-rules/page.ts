import { definePage } from '../../ui/page/page.ts';
import { decodeRulesSearch } from './rules-search.ts';

export const notifyRulesPage = definePage({
  path: '/notify/rules',
  title: 'Rules of notifications',
  icon: 'bell',
  permission: 'incident.read',
  search: decodeRulesSearch,
  views: ['?edit=new'],
  load: () => import('./rules-page.tsx').then((module) => module.RulesPage),
});
