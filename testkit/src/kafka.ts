import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { makeCertificates, type TestCertificates } from './kafka/certificates.ts';
import { fetchKafkaJars, missingForKafka } from './kafka/jars.ts';
import { createNode, formatNode, type KafkaNode, type NodePlan, newUuid } from './kafka/node.ts';

export interface KafkaOptions {
  /** 1 or 3; replication follows: 1/1 or 3 replicas with 2 in sync. */
  nodes?: 1 | 3;
  /** Adds a listener that demands TLS with a client certificate and SCRAM-SHA-256 or PLAIN with this user. */
  secure?: { username: string; password: string };
}

/** A real Apache Kafka on loopback, its data in a temporary folder. */
export interface KafkaCluster {
  /** host:port of every node's plain listener. */
  brokers: string[];
  /** The same of the secure listener, with files to trust and present; only when asked for. */
  secure?: { brokers: string[]; certificates: TestCertificates };
  /** Ends a node as a crash would; its data stay. Nodes count from 0. */
  kill(node: number): Promise<void>;
  /** Starts a stopped node again and waits until it serves. */
  start(node: number): Promise<void>;
  /** Ends all nodes and removes their data. */
  stop(): Promise<void>;
}

/** Why no broker can run here ("java is missing, ..."), or undefined when one can. Tests skip and print it. */
export const kafkaUnavailable = missingForKafka;

function planNodes(folder: string, options: KafkaOptions, ports: number[]): NodePlan[] {
  const count = options.nodes ?? 1;
  const controllers = Array.from({ length: count }, (_, index) => `127.0.0.1:${ports[index * 3 + 1]}`);
  const voters = controllers.map((at, index) => `${index + 1}@${at}:${newUuid()}`).join(',');
  const cluster = newUuid();
  return controllers.map((_, index) => ({
    id: index + 1,
    folder: join(folder, `node-${index + 1}`),
    port: ports[index * 3] as number,
    controllerPort: ports[index * 3 + 1] as number,
    securePort: options.secure ? (ports[index * 3 + 2] as number) : undefined,
    cluster,
    voters,
    quorum: controllers.join(','),
    replicas: count,
    secure: options.secure && {
      ...options.secure,
      keyStore: join(folder, 'broker-store.pem'),
      trustStore: join(folder, 'ca.pem'),
    },
  }));
}

/** Starts the cluster: about 3 s for one node, 7 s for three; the first time ever it fetches 44 MB of jars by Maven. */
export async function startKafka(options: KafkaOptions = {}): Promise<KafkaCluster> {
  const jars = fetchKafkaJars();
  const folder = mkdtempSync(join(tmpdir(), 'svc-kafka-'));
  const certificates = options.secure ? makeCertificates(folder) : undefined;
  const plans = planNodes(folder, options, await Promise.all(Array.from({ length: 3 * (options.nodes ?? 1) }, freePort)));
  const nodes: KafkaNode[] = plans.map((plan) => createNode(plan, jars));
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(plans.map((plan) => formatNode(plan, jars)));
    await Promise.all(nodes.map((node) => node.start()));
  } catch (err) {
    await stop();
    throw err;
  }
  const at = (port: number | undefined) => `127.0.0.1:${port}`;
  return {
    brokers: plans.map((plan) => at(plan.port)),
    ...(certificates ? { secure: { brokers: plans.map((plan) => at(plan.securePort)), certificates } } : {}),
    kill: (node) => (nodes[node] as KafkaNode).kill(),
    start: (node) => (nodes[node] as KafkaNode).start(),
    stop,
  };
}
