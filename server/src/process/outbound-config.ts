import { configKey, parseList, parseText, parseUrl, secretKey } from '#kernel';
import { parseAllowed } from '#outbound';

/** Of every call to an address outside that somebody configured (docs/outbound.md). */
export const outboundKeys = {
  allow: configKey({
    key: 'SVC_OUTBOUND_ALLOW',
    parse: parseList(parseAllowed),
    fallback: [],
    defaultText: 'none',
    doc: 'Addresses, networks and host names, each with a port where it is another than the usual one of what is spoken (127.0.0.1:8443, 10.0.0.0/8:8000-8099, [::1]:8443), that models, connectors and webhooks may be called at although they are refused otherwise: private, loopback, link-local and metadata addresses.',
  }),
  caFile: configKey({
    key: 'SVC_OUTBOUND_CA_FILE',
    parse: parseText(4096),
    defaultText: "the system's authorities alone",
    doc: 'PEM authorities that are trusted beside the usual ones where this server calls models, connectors and webhooks.',
  }),
  proxy: secretKey({
    key: 'SVC_OUTBOUND_PROXY',
    parse: parseUrl('http', 'https'),
    doc: 'Proxy for these calls: http(s)://[user:password@]host:port. What is on this machine is called without it.',
  }),
};
