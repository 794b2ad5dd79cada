import { traceHostFault } from '@svc/contracts/endpoint/trace-host';

/** A host or an http(s) address as somebody typed it, or what is wrong with it in words. */
export function parseOwnTarget(text: string): { kind: 'trace' | 'session'; target: string } | { fault: string } {
  const typed = text.trim();
  if (typed === '') return { fault: 'Type a host or an https address.' };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) {
    let url: URL;
    try {
      url = new URL(typed);
    } catch {
      return { fault: 'This is not an address a browser would open.' };
    }
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      return { fault: 'Only http and https can be measured as a connection.' };
    if (url.username !== '' || url.password !== '') return { fault: 'Leave the user name and password out.' };
    return { kind: 'session', target: url.href };
  }
  const host = typed.replace(/\.$/, '').toLowerCase();
  const name = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?)*$/;
  const ipv6 = /^[0-9a-f:]*:[0-9a-f:.]*$/;
  if (!name.test(host) && !ipv6.test(host))
    return { fault: traceHostFault(host) ?? 'This is neither a host name nor an IP address.' };
  return { kind: 'trace', target: host };
}
