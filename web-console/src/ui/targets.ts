/** The host of a target that may be a URL or a host. */
export function targetHost(target: string): string {
  try {
    return new URL(target).hostname.replace(/^\[|\]$/g, '');
  } catch {
    return target;
  }
}

const isAddress = (host: string): boolean => /^[\d.]+$/.test(host) || host.includes(':');

/** What a person calls a target: `crm` of https://crm.suite.example/, addresses whole. */
export function shortTarget(target: string): string {
  const host = targetHost(target);
  if (isAddress(host)) return host;
  const labels = host.replace(/^www\./, '').split('.');
  return labels[0] ?? host;
}
