import {
  type ConfigOf,
  configKey,
  type Fault,
  parseBoolean,
  parseInteger,
  parseOneOf,
  parseText,
  parseUrl,
  secretKey,
} from '#kernel';

export const otlpExportKeys = {
  url: configKey({
    key: 'SVC_OTLP_EXPORT_URL',
    parse: parseUrl('https', 'http'),
    defaultText: 'unset: nothing is sent',
    doc: 'Collector that all metrics of this service and of its tenants are sent to: https://host:port, with http/protobuf also a path (default /v1/metrics).',
  }),
  protocol: configKey({
    key: 'SVC_OTLP_EXPORT_PROTOCOL',
    parse: parseOneOf(['grpc', 'http/protobuf']),
    fallback: 'grpc' as const,
    defaultText: 'grpc',
    doc: 'Protocol of SVC_OTLP_EXPORT_URL: grpc or http/protobuf.',
  }),
  token: secretKey({
    key: 'SVC_OTLP_EXPORT_TOKEN',
    parse: parseText(4096),
    doc: 'Bearer token for SVC_OTLP_EXPORT_URL; must be set with it.',
  }),
  caFile: configKey({
    key: 'SVC_OTLP_EXPORT_CA_FILE',
    parse: parseText(4096),
    defaultText: "the system's authorities",
    doc: "PEM authorities that the collector's certificate is checked with.",
  }),
  intervalSeconds: configKey({
    key: 'SVC_OTLP_EXPORT_INTERVAL_SECONDS',
    parse: parseInteger(1, 3600),
    fallback: 60,
    defaultText: '60',
    doc: 'Seconds between two deliveries to the collector.',
  }),
  insecure: configKey({
    key: 'SVC_OTLP_EXPORT_INSECURE',
    parse: parseBoolean,
    fallback: false,
    defaultText: 'false',
    doc: 'Allows an http:// collector, without TLS; exists only in a build made with `npm run build:dev`.',
  }),
};
export type OtlpExportConfig = ConfigOf<typeof otlpExportKeys>;

/** Faults of keys that fit one by one and not together. */
export function findExportFaults(
  { url, protocol, token, insecure, caFile }: OtlpExportConfig,
  buildTag: 'release' | 'dev',
): Fault[] {
  const faults: Fault[] = [];
  const fault = (key: keyof typeof otlpExportKeys, message: string) => faults.push({ path: otlpExportKeys[key].key, message });
  if (insecure && buildTag === 'release') fault('insecure', 'true exists only in a build made with "npm run build:dev".');
  if (url === undefined) {
    if (token) fault('url', 'must be set together with SVC_OTLP_EXPORT_TOKEN');
    if (caFile) fault('url', 'must be set together with SVC_OTLP_EXPORT_CA_FILE');
    return faults;
  }
  const { protocol: scheme, username, password, pathname, search, hash } = new URL(url);
  if (!token) fault('token', 'must be set together with SVC_OTLP_EXPORT_URL');
  if (scheme === 'http:' && !insecure) fault('url', 'would send token and metrics unencrypted: use https://');
  if (username || password) fault('url', 'holds a user or password: the collector is given SVC_OTLP_EXPORT_TOKEN.');
  if (search || hash) fault('url', 'must have neither a query nor a fragment.');
  if (protocol === 'grpc' && pathname !== '/') fault('url', 'must be https://host:port without a path for grpc.');
  return faults;
}
