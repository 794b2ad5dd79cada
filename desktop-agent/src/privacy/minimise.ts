import { ATTRIBUTES, findMetricKey } from '@svc/contracts/results/endpoint-results';
import { type EndpointResult, safeError } from '../result.ts';
import { isPrivateAddress } from './address.ts';
import type { Collect } from './collect.ts';

/** A result as it may leave the device, and what was taken out of it: the device's own record of what it kept back. */
export interface Minimised {
  result: EndpointResult;
  withheld: Readonly<Record<string, string>>;
}

const HOP_ADDRESS = /^hop\.\d{1,2}\.address$/;
const HOP_SEGMENT = /^hop\.\d{1,2}\.segment$/;
/** systemd names an adapter after its hardware address where it knows nothing better. */
const NAMES_HARDWARE = /[0-9a-f]{12}/i;
const plain = new Set<string>(Object.values(ATTRIBUTES));

/** Whether the address of a hop may leave this device. */
export function mayAddressLeave(address: string, collect: Readonly<Collect>): boolean {
  return isPrivateAddress(address) ? collect.gatewayIp : collect.publicHops;
}

/** Whether one attribute may leave: a list of what is known and allowed, so that a new key stays home until somebody decides. */
function mayLeave(key: string, value: string, collect: Readonly<Collect>): boolean {
  if (key === ATTRIBUTES.ssid) return collect.ssid;
  if (key === ATTRIBUTES.gatewayAddress) return collect.gatewayIp && isPrivateAddress(value);
  if (key === ATTRIBUTES.resolverAddress) return collect.gatewayIp && isPrivateAddress(value);
  if (key === ATTRIBUTES.interface) return collect.hostFacts && !NAMES_HARDWARE.test(value);
  if (HOP_ADDRESS.test(key)) return mayAddressLeave(value, collect);
  return plain.has(key) || HOP_SEGMENT.test(key) || key.startsWith('unavailable.');
}

/** User names, passwords, queries and fragments never leave; a path names the page that somebody chose to measure. */
function safeUrl(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const url = new URL(value);
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/**
 * Takes out what this device does not give away (docs/contract/results.md): by a list of what may leave, with
 * `unavailable.<key>` = `withheld` in its place. Metrics outside the contract's table are dropped as well. Pure; the input stays.
 */
export function minimise(full: EndpointResult, collect: Readonly<Collect>): Minimised {
  const withheld: Record<string, string> = {};
  const attributes: Record<string, string> = {};
  for (const [key, value] of Object.entries(full.attributes)) {
    if (mayLeave(key, value, collect)) {
      const kept = key === ATTRIBUTES.urlFull ? safeUrl(value) : value;
      if (kept !== undefined) attributes[key] = kept;
      continue;
    }
    withheld[key] = value;
    attributes[`unavailable.${key}`] = 'withheld';
  }
  const metrics: Record<string, number> = {};
  for (const [key, value] of Object.entries(full.metrics)) {
    if (findMetricKey(full.canary_type, key)) metrics[key] = value;
  }
  const result: EndpointResult = { ...full, metrics, attributes };
  if (full.error !== undefined) result.error = safeError(full.error);
  return { result, withheld };
}

/** The result as it was measured, for "before and after" on the device's own screen. */
export function restore(minimised: Minimised): EndpointResult {
  const attributes = { ...minimised.result.attributes, ...minimised.withheld };
  for (const key of Object.keys(minimised.withheld)) delete attributes[`unavailable.${key}`];
  return { ...minimised.result, attributes };
}
