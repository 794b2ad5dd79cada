import { definePage, noSearch } from '../../ui/page/page.ts';
import { decodeIncidentsSearch, INCIDENTS_TIME } from './incidents-search.ts';

export const incidentsPage = definePage({
  path: '/incidents',
  title: 'Incidents',
  icon: 'warning',
  group: 'fleet',
  permission: 'incident.read',
  words: ['what is broken', 'outages', 'signals', 'acknowledge', 'on call'],
  search: decodeIncidentsSearch,
  range: INCIDENTS_TIME,
  usual: { status: 'open' },
  load: () => import('./incidents-page.tsx').then((module) => module.IncidentsPage),
});

export const incidentPage = definePage({
  path: '/incidents/$id',
  title: 'Incident',
  icon: 'warning',
  permission: 'incident.read',
  namesWindow: true,
  search: noSearch,
  load: () => import('./detail/incident-page.tsx').then((module) => module.IncidentPage),
});
