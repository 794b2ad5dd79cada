import { configKey, parseHostPort, parseInteger, parseText } from '#kernel';

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
};
