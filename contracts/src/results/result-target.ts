import type { CanonicalResult } from './canonical-result.ts';
import { ATTRIBUTES } from './endpoint-results.ts';

const DEFAULT_PORTS: ReadonlySet<number> = new Set([80, 443]);

/**
 * What one result measured, as people name it and as the series label `target` says: host, port unless it is 80 or 443, and the path of
 * the URL unless it is the root; '' where there is no target. Two URLs of one host stay apart.
 */
export function targetOf(result: Pick<CanonicalResult, 'server_address' | 'server_port' | 'attributes'>): string {
  const { server_address: address = '', server_port: port, attributes } = result;
  if (address === '') return '';
  const host = port === undefined || DEFAULT_PORTS.has(port) ? address : `${address}:${port}`;
  return host + pathOf(attributes[ATTRIBUTES.urlFull]);
}

/** The path of an absolute URL without query and fragment; '' for the root and for what is no URL. */
function pathOf(url: string | undefined): string {
  if (url === undefined) return '';
  const begin = url.indexOf('/', url.indexOf('://') + 3);
  if (begin < 0) return '';
  const path = url.slice(begin).replace(/[?#].*$/, '');
  return path === '/' ? '' : path;
}
