import { definePage, noSearch } from '../../ui/page/page.ts';

export const inboundPage = definePage({
  path: '/notify/inbound',
  title: 'Inbound',
  icon: 'bell',
  permission: 'incident.read',
  search: noSearch,
  load: () => import('./inbound-page.tsx').then((module) => module.InboundPage),
});

export const inboundWebhookPage = definePage({
  path: '/notify/inbound/$id',
  title: 'Inbound webhook',
  icon: 'bell',
  permission: 'incident.read',
  namesWindow: true,
  search: noSearch,
  load: () => import('./inbound-webhook-page.tsx').then((module) => module.InboundWebhookPage),
});
