import { definePage, noSearch } from '../../ui/page/page.ts';
import { CHANGES_RANGE, decodeChangesSearch } from './changes-search.ts';

export const changesPage = definePage({
  path: '/changes',
  title: 'Changes',
  icon: 'update',
  group: 'explore',
  permission: 'change.read',
  words: ['deployments', 'commits', 'releases', 'what changed', 'timeline'],
  search: decodeChangesSearch,
  range: CHANGES_RANGE,
  load: () => import('./changes-page.tsx').then((module) => module.ChangesPage),
});

export const webhooksPage = definePage({
  path: '/change-webhooks',
  title: 'Webhooks of changes',
  icon: 'link',
  group: 'administration',
  permission: 'change.read',
  words: ['github', 'gitlab', 'deployments', 'secret', 'inbound'],
  search: noSearch,
  load: () => import('./webhooks-page.tsx').then((module) => module.WebhooksPage),
});

export const webhookPage = definePage({
  path: '/change-webhooks/$id',
  title: 'Webhook',
  icon: 'link',
  permission: 'change.read',
  namesWindow: true,
  search: noSearch,
  load: () => import('./webhook-page.tsx').then((module) => module.WebhookPage),
});
