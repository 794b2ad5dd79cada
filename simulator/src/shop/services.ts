import type { Attributes } from './attributes.ts';

interface Service {
  language: string;
  sdkVersion: string;
  runtime: string;
  version: string;
  pods: number;
  /** Name of the instrumentation that makes its spans. */
  scope: string;
}

const nodejs = { language: 'nodejs', sdkVersion: '2.1.0', runtime: 'nodejs', scope: '@opentelemetry/instrumentation-http' };
const java = {
  language: 'java',
  sdkVersion: '1.57.0',
  runtime: 'OpenJDK Runtime Environment',
  scope: 'io.opentelemetry.tomcat-10.0',
};
const go = { language: 'go', sdkVersion: '1.39.0', runtime: 'go', scope: 'go.opentelemetry.io/contrib/instrumentation/net/http' };
// A receiver of a Collector tells about these: they make no spans themselves.
const watched = { language: 'go', sdkVersion: '', runtime: '', scope: '', pods: 1 };

export const SERVICES = {
  web: { ...nodejs, version: '5.31.0', pods: 2 },
  search: { ...java, version: '3.8.1', pods: 1 },
  catalogue: { ...go, version: '1.19.2', pods: 1 },
  cart: {
    language: 'dotnet',
    sdkVersion: '1.14.0',
    runtime: '.NET',
    scope: 'Microsoft.AspNetCore',
    version: '2.4.0',
    pods: 1,
  },
  checkout: { ...java, version: '2.13.4', pods: 2 },
  payment: { ...nodejs, version: '4.2.7', pods: 1 },
  inventory: { ...go, version: '1.7.0', pods: 1 },
  shipping: {
    language: 'rust',
    sdkVersion: '0.31.0',
    runtime: 'rust',
    scope: 'tracing-opentelemetry',
    version: '0.9.3',
    pods: 1,
  },
  email: {
    language: 'python',
    sdkVersion: '1.39.0',
    runtime: 'cpython',
    scope: 'opentelemetry.instrumentation.kafka',
    version: '1.3.0',
    pods: 1,
  },
  postgres: { ...watched, version: '17.6' },
  redis: { ...watched, version: '8.2.1' },
  kafka: { ...watched, version: '4.1.0' },
} as const satisfies Record<string, Service>;

export type ServiceName = keyof typeof SERVICES;
export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[];

/** Answers from outside and sends no telemetry. */
export const PAYMENT_PROVIDER = 'api.pay.example';
export const NODES = ['node-a', 'node-b', 'node-c'] as const;

/** What a Resource stands for. */
export interface Instance {
  key: string;
  scope: string;
  resource: Attributes;
}

/** One pod of a service in one version. */
export interface Pod extends Instance {
  service: ServiceName;
}

const cache = new Map<string, Pod>();

/** The same object for the same service, pod and version. */
export function instanceOf(service: ServiceName, pod: number, version: string = SERVICES[service].version): Pod {
  const key = `${service}|${version}|${pod}`;
  const known = cache.get(key);
  if (known) return known;
  const made = { service, key, scope: SERVICES[service].scope, resource: makeResource(service, pod, version) };
  cache.set(key, made);
  return made;
}

function makeResource(service: ServiceName, pod: number, version: string): Attributes {
  const { language, sdkVersion, runtime } = SERVICES[service];
  // A new version is a new ReplicaSet, and so another name of its pods.
  const replicaSet = [...version].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7).toString(36);
  const name = `${service}-${replicaSet}-${'xkq7d'.slice(pod)}${pod}`;
  return {
    'service.name': service,
    'service.namespace': 'shop',
    'service.version': version,
    'service.instance.id': name,
    'deployment.environment.name': 'demo',
    'k8s.cluster.name': 'demo',
    'k8s.namespace.name': 'shop',
    'k8s.deployment.name': service,
    'k8s.pod.name': name,
    'k8s.node.name': NODES[(service.length + pod) % NODES.length] as string,
    ...(sdkVersion === ''
      ? {}
      : {
          'telemetry.sdk.name': 'opentelemetry',
          'telemetry.sdk.language': language,
          'telemetry.sdk.version': sdkVersion,
          'process.runtime.name': runtime,
        }),
  };
}

/** The node's own agent: host metrics, or OBI's flows. */
export const nodeInstance = (node: string, service: 'collector' | 'obi'): Instance => ({
  key: `${service}|${node}`,
  scope:
    service === 'obi'
      ? 'go.opentelemetry.io/obi'
      : 'github.com/open-telemetry/opentelemetry-collector-contrib/receiver/hostmetricsreceiver',
  resource: {
    'service.name': service,
    'service.namespace': 'observability',
    'host.name': node,
    'k8s.node.name': node,
    'k8s.cluster.name': 'demo',
    'deployment.environment.name': 'demo',
  },
});
