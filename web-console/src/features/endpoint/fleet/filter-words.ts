import type { Verdict } from '@svc/contracts/endpoint/view';
import { osWords } from '../../../ui/devices/os-words.ts';
import { permissionName } from '../../../ui/devices/permission-words.ts';
import { NO_VERDICT, SLOW_CAUSES } from '../../../ui/devices/verdict-states.ts';
import { verdictWord } from '../../../ui/devices/verdict-words.ts';
import { FAULT_NAMES, HEALTH_NAMES } from '../../../ui/judged/health-words.ts';
import { joinWords } from '../../../ui/words/format.ts';
import { activeFilters, type FilterKey, type FleetSearch } from './fleet-search.ts';

const days = (minutes: number): string => {
  if (minutes % 1440 === 0) return minutes === 1440 ? '1 day' : `${minutes / 1440} days`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
};

const TITLES: Readonly<Record<FilterKey, string>> = {
  search: 'Search',
  verdict: 'Verdict',
  health: 'Health',
  fault: 'Fault',
  site: 'Site',
  os: 'OS',
  agent_version: 'Agent version',
  ring: 'Update ring',
  connection: 'Connection',
  face: 'Face',
  missing_permission: 'Missing permission',
  gateway: 'Gateway',
  contact_within_minutes: 'Last contact',
  silent_for_minutes: 'Silent',
  wifi_rssi_below: 'Wi-Fi',
  gateway_rtt_above: 'Gateway',
  isp_rtt_above: 'ISP edge',
  session_above_ms: 'Worst session',
};

export const filterTitle = (key: FilterKey): string => TITLES[key];

const isWhole = (chosen: readonly Verdict[], group: readonly Verdict[]): boolean =>
  chosen.length === group.length && group.every((verdict) => chosen.includes(verdict));

function describeVerdicts(chosen: readonly Verdict[]): string {
  if (isWhole(chosen, NO_VERDICT)) return 'none given';
  if (isWhole(chosen, SLOW_CAUSES)) return 'slow';
  return joinWords(chosen.map((verdict) => verdictWord(verdict)));
}

/** The value of one filter as its chip shows it, and as "No device matches ..." names it. */
export function filterValue(search: FleetSearch, key: FilterKey): string {
  if (key === 'verdict') return describeVerdicts(search.verdict ?? []);
  if (key === 'health') return joinWords((search.health ?? []).map((one) => HEALTH_NAMES[one]));
  if (key === 'fault') return joinWords((search.fault ?? []).map((one) => FAULT_NAMES[one]));
  if (key === 'contact_within_minutes') return `within ${days(search.contact_within_minutes ?? 0)}`;
  if (key === 'silent_for_minutes') return `for ${days(search.silent_for_minutes ?? 0)} or more`;
  if (key === 'wifi_rssi_below') return `at or below ${String(search.wifi_rssi_below).replace('-', '−')} dBm`;
  if (key === 'gateway_rtt_above' || key === 'isp_rtt_above') return `${search[key]} ms or more`;
  if (key === 'session_above_ms') return `${search[key]} ms or more`;
  if (key === 'connection') return joinWords((search.connection ?? []).map((item) => (item === 'wifi' ? 'Wi-Fi' : item)));
  if (key === 'missing_permission') return joinWords((search.missing_permission ?? []).map(permissionName));
  if (key === 'os') return joinWords((search.os ?? []).map((os) => osWords(os, null)));
  const value = search[key];
  return Array.isArray(value) ? joinWords(value) : String(value ?? '');
}

/** "Site: Toulouse and OS: Ubuntu" */
export const describeFilters = (search: FleetSearch): string =>
  joinWords(activeFilters(search).map((key) => `${filterTitle(key)}: ${filterValue(search, key)}`));
