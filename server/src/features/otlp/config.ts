import { configKey, parseHostPort, parseInteger, parseList, parseTenantId, parseText, secretKey, type TenantId } from '#kernel';

export interface ConfiguredToken {
  token: string;
  tenant: TenantId;
}

/** The last "=" divides: a token may end in some. */
function parsePair(text: string): ConfiguredToken {
  const at = text.lastIndexOf('=');
  const [token, tenant] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || !/^[\x21-\x7e]{1,1000}$/.test(token)) throw new Error('must be <token>=<tenant>');
  return { token, tenant: parseTenantId(tenant) };
}

function parsePairs(text: string): readonly ConfiguredToken[] {
  const pairs = parseList(parsePair)(text);
  if (new Set(pairs.map(({ token }) => token)).size < pairs.length) throw new Error('assigns one token to two tenants');
  return pairs;
}

const path = parseText(4096);

/** Keys of the OTLP receiver. */
export const otlpKeys = {
  grpcAddr: configKey({
    key: 'SVC_OTLP_GRPC_ADDR',
    parse: parseHostPort,
    defaultText: 'unset (off); 127.0.0.1:4317 under `npm start`',
    doc: 'Address at which OTLP is received over gRPC, always with TLS.',
  }),
  httpAddr: configKey({
    key: 'SVC_OTLP_HTTP_ADDR',
    parse: parseHostPort,
    defaultText: 'unset (off); 127.0.0.1:4318 under `npm start`',
    doc: 'Address at which OTLP is received over HTTPS: POST /v1/traces, /v1/logs, /v1/metrics.',
  }),
  tlsCertFile: configKey({
    key: 'SVC_OTLP_TLS_CERT_FILE',
    parse: path,
    defaultText: 'the certificate of the other listeners; a fleet has to set it',
    doc: 'PEM certificate chain of the OTLP receiver.',
  }),
  tlsKeyFile: configKey({ key: 'SVC_OTLP_TLS_KEY_FILE', parse: path, doc: 'PEM private key of SVC_OTLP_TLS_CERT_FILE.' }),
  tokens: secretKey({
    key: 'SVC_OTLP_TOKENS',
    parse: parsePairs,
    defaultText: 'unset; a fleet that receives has to set it',
    doc: 'Tokens that may send OTLP: <token>=<tenant>, comma-separated; more of them are created in the console.',
  }),
  clientCaFile: configKey({
    key: 'SVC_OTLP_CLIENT_CA_FILE',
    parse: path,
    doc: 'PEM authorities of clients: with it, each shows a certificate of theirs beside its token (mutual TLS).',
  }),
  maxBytes: configKey({
    key: 'SVC_OTLP_MAX_BYTES',
    parse: parseInteger(64 * 1024, 64 * 1024 * 1024),
    fallback: 4 * 1024 * 1024,
    defaultText: '4194304 (4 MiB)',
    doc: 'Largest OTLP request after decompression.',
  }),
  seriesPerDay: configKey({
    key: 'SVC_OTLP_SERIES_PER_DAY',
    parse: parseInteger(1000, 10_000_000),
    fallback: 1_000_000,
    defaultText: '1000000',
    doc: 'New metric series that one tenant may send per day (UTC); twice as many may be active. Points of further ones go into overflow series.',
  }),
};
