import { definePage } from '../../ui/page/page.ts';
import { decodeAuditSearch } from './audit-search.ts';

export const auditPage = definePage({
  path: '/audit',
  title: 'Audit',
  icon: 'audit',
  group: 'administration',
  permission: 'audit.read',
  words: ['who did what', 'trail', 'changes'],
  search: decodeAuditSearch,
  load: () => import('./audit-page.tsx').then((module) => module.AuditPage),
});
