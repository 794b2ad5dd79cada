const TRACE_HOST = /^(?!-)[A-Za-z0-9.:_-]{1,253}$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const IS_ASCII = /^[\x20-\x7e]*$/;

/** The name as DNS carries it (Punycode), if it is one at all. */
function asciiOf(host: string): string | undefined {
  try {
    const { hostname } = new URL(`http://${host}/`);
    return TRACE_HOST.test(hostname) ? hostname : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with a host to trace, as a sentence that names the host and says what to write instead; undefined where it may be saved. */
export function traceHostFault(host: string): string | undefined {
  if (TRACE_HOST.test(host)) return undefined;
  const quoted = `“${host}”`;
  if (SCHEME.test(host)) return `${quoted} has a scheme: enter the host name alone.`;
  const ascii = IS_ASCII.test(host) ? undefined : asciiOf(host);
  if (ascii !== undefined) return `${quoted} is an internationalized name: enter its ASCII form, ${ascii}.`;
  return `${quoted} is not a host name or an address.`;
}
