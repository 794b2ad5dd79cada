import type { Capability, CapabilityName } from '@svc/native/capabilities/capabilities';
import { readingValue } from '@svc/native/reading';
import type { Permission } from './diagnosis.ts';
import type { Readings } from './take-readings.ts';

/** What the system lets this agent do, as far as its own tries show. */
export function describePermissions({ capabilities, gateway }: Readings, platform: string): Permission[] {
  const find = (name: CapabilityName): Capability | undefined => capabilities.find((one) => one.name === name);
  const icmp = find('path_icmp');
  return [
    describeLocation(find('ssid'), platform),
    {
      name: 'icmp',
      state: icmp?.available ? 'granted' : icmp?.unavailable === 'permission' ? 'missing' : 'unknown',
      detail: icmp?.detail ?? '',
    },
    describeLocalNetwork(gateway, platform),
  ];
}

function describeLocation(ssid: Capability | undefined, platform: string): Permission {
  const name = 'location';
  if (platform === 'linux') return { name, state: 'not_needed', detail: 'Linux tells the SSID to every user' };
  if (ssid?.available) return { name, state: 'granted', detail: 'the SSID was told' };
  if (ssid?.unavailable === 'permission') return { name, state: 'missing', detail: ssid.detail };
  return { name, state: 'unknown', detail: 'no connected radio showed it' };
}

function describeLocalNetwork(gateway: Readings['gateway'], platform: string): Permission {
  const name = 'local_network';
  if (platform !== 'darwin') return { name, state: 'not_needed', detail: 'only macOS asks for it' };
  if (gateway && readingValue(gateway)?.reachable) return { name, state: 'granted', detail: 'the gateway answered' };
  const where = 'System Settings, Privacy & Security, Local Network';
  if (gateway && 'unavailable' in gateway && gateway.unavailable === 'permission')
    return { name, state: 'missing', detail: `macOS refused to send to the gateway (${where})` };
  return { name, state: 'unknown', detail: `the gateway did not answer, which may be its own way or this permission (${where})` };
}
