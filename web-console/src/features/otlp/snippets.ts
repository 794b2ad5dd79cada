/** What a snippet needs to know of the receiver. */
export interface Receiver {
  /** host:port; null where that listener is off. */
  grpc: string | null;
  http: string | null;
  /** The receiver's certificate is of an authority of its own, which senders must be given as a file. */
  ownAuthority: boolean;
}

export const CA_FILE = 'svc-otlp-ca.pem';
/** In the place of a token where none was created just now. */
export const TOKEN_PLACE = 'OTLP_TOKEN';

export const SENDERS = ['Collector', 'JavaScript', 'Python', 'Java', 'Go', '.NET', 'OBI'] as const;
export type Sender = (typeof SENDERS)[number];

export interface Snippet {
  /** Where the lines go. */
  place: string;
  text: string;
  note?: string;
}

/** Whether only the machine that listens at this host:port can send to it. */
export const isLoopback = (address: string): boolean => /^(localhost|127\.[\d.]+|\[::1\]):\d+$/.test(address);

/** What to set so that other machines can send as well; undefined where they can already, or where nothing is received. */
export function widenWords({ grpc, http }: Pick<Receiver, 'grpc' | 'http'>): string | undefined {
  const open = ([key, address]: readonly [string, string | null]): string[] =>
    address !== null && isLoopback(address) ? [`${key}=0.0.0.0:${address.split(':').at(-1)}`] : [];
  const settings = [...open(['SVC_OTLP_GRPC_ADDR', grpc]), ...open(['SVC_OTLP_HTTP_ADDR', http])];
  if (settings.length === 0) return undefined;
  const also = 'and SVC_PUBLIC_URL if they reach this server by a name';
  return `Only this machine can send to these addresses. To receive from other machines, set ${settings.join(' and ')}, ${also}, then restart the server.`;
}

const lines = (...parts: (string | false)[]): string => parts.filter((part) => part !== false).join('\n');

/** Where an SDK sends, by the variables that all of them know; header values are URL-encoded, as the specification of OTLP exporters asks. */
function environment({ grpc, http, ownAuthority }: Receiver, token: string, more: readonly (string | false)[]): string {
  const [endpoint, protocol] = http ? [`https://${http}`, 'http/protobuf'] : [`https://${grpc ?? ''}`, 'grpc'];
  return lines(
    'export OTEL_SERVICE_NAME=my-service',
    `export OTEL_EXPORTER_OTLP_ENDPOINT=${endpoint}`,
    `export OTEL_EXPORTER_OTLP_PROTOCOL=${protocol}`,
    `export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20${encodeURIComponent(token)}"`,
    ownAuthority && `export OTEL_EXPORTER_OTLP_CERTIFICATE=${CA_FILE}`,
    ...more,
  );
}

const ALL_SIGNALS = 'export OTEL_TRACES_EXPORTER=otlp OTEL_METRICS_EXPORTER=otlp OTEL_LOGS_EXPORTER=otlp';

const collector = ({ grpc, http, ownAuthority }: Receiver, token: string): string => {
  const name = grpc ? 'otlp/svc' : 'otlphttp/svc';
  const pipeline = (signal: string): string => `    ${signal}: { receivers: [otlp], processors: [batch], exporters: [${name}] }`;
  return lines(
    'exporters:',
    `  ${name}:`,
    `    endpoint: ${grpc ?? `https://${http ?? ''}`}`,
    '    headers:',
    `      authorization: "Bearer ${token}"`,
    ownAuthority && '    tls:',
    ownAuthority && `      ca_file: ${CA_FILE}`,
    '    retry_on_failure: { max_elapsed_time: 0 }',
    'processors:',
    '  batch: { send_batch_size: 2000, send_batch_max_size: 2000 }',
    'service:',
    '  pipelines:',
    pipeline('traces'),
    pipeline('metrics'),
    pipeline('logs'),
  );
};

/** What to copy so that a sender of this kind reaches the receiver with this token. */
export function writeSnippet(sender: Sender, receiver: Receiver, token: string): Snippet {
  const { ownAuthority } = receiver;
  const shell = (more: readonly (string | false)[], note?: string): Snippet => ({
    place: 'In a shell',
    text: environment(receiver, token, more),
    ...(note ? { note } : {}),
  });
  switch (sender) {
    case 'Collector':
      return {
        place: 'In the Collector’s configuration, next to its receivers',
        text: collector(receiver, token),
        note: 'max_elapsed_time 0 goes on retrying while this server is away, by default a Collector gives up after five minutes. What waits is in memory until its sending_queue is full; with storage it is on disk. The size of a batch keeps requests below 4 MiB for records of up to 2 KB.',
      };
    case 'JavaScript':
      return shell([
        ALL_SIGNALS,
        ownAuthority && `export NODE_EXTRA_CA_CERTS=${CA_FILE}`,
        'npm install @opentelemetry/api @opentelemetry/auto-instrumentations-node',
        'node --require @opentelemetry/auto-instrumentations-node/register app.js',
      ]);
    case 'Python':
      return shell([
        ALL_SIGNALS,
        'export OTEL_PYTHON_LOGGING_AUTO_INSTRUMENTATION_ENABLED=true',
        'pip install opentelemetry-distro opentelemetry-exporter-otlp',
        'opentelemetry-bootstrap -a install',
        'opentelemetry-instrument python app.py',
      ]);
    case 'Java':
      return shell([ALL_SIGNALS, 'java -javaagent:opentelemetry-javaagent.jar -jar app.jar']);
    case 'Go':
      return shell(
        ['go get go.opentelemetry.io/otel/sdk go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp', 'go run .'],
        'In the program: otlptracehttp.New(ctx) without options reads these variables.',
      );
    case '.NET':
      return shell(
        [
          ownAuthority && `export SSL_CERT_FILE=${CA_FILE}`,
          'dotnet add package OpenTelemetry.Extensions.Hosting',
          'dotnet add package OpenTelemetry.Exporter.OpenTelemetryProtocol',
          'dotnet run',
        ],
        'In the program: builder.Services.AddOpenTelemetry().UseOtlpExporter() reads these variables.',
      );
    case 'OBI':
      return shell(
        ['export OTEL_EBPF_OPEN_PORT=8080', 'export OTEL_EBPF_METRICS_FEATURES=application,network', 'sudo -E obi'],
        'Sees HTTP, gRPC and database calls of any program on these ports without changing it, and network flows for the service map.',
      );
  }
}
