import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kitFile } from './jars.ts';

export interface NodePlan {
  id: number;
  folder: string;
  port: number;
  controllerPort: number;
  securePort: number | undefined;
  cluster: string;
  voters: string;
  quorum: string;
  replicas: number;
  secure: { username: string; password: string; keyStore: string; trustStore: string } | undefined;
}

export interface KafkaNode {
  start(): Promise<void>;
  kill(): Promise<void>;
}

const READY_MS = 150_000;

/** Kafka refuses ids that begin with a dash. */
export function newUuid(): string {
  for (;;) {
    const id = randomBytes(16).toString('base64url');
    if (!id.startsWith('-')) return id;
  }
}

function javaArguments(jars: string, heapMb: number): string[] {
  const jvm = [`-Xmx${heapMb}m`, '-Xms64m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];
  return [...jvm, `-Dlog4j2.configurationFile=${kitFile('log4j2.yaml')}`, '-cp', join(jars, '*')];
}

function secureSettings(secure: NonNullable<NodePlan['secure']>): string {
  const login = (module: string, rest: string) => `org.apache.kafka.common.security.${module} required ${rest};`;
  const plain = login('plain.PlainLoginModule', `user_${secure.username}="${secure.password}"`);
  return [
    'sasl.enabled.mechanisms=SCRAM-SHA-256,PLAIN',
    `listener.name.secure.plain.sasl.jaas.config=${plain}`,
    `listener.name.secure.scram-sha-256.sasl.jaas.config=${login('scram.ScramLoginModule', '')}`,
    'listener.name.secure.ssl.client.auth=required',
    'ssl.keystore.type=PEM',
    `ssl.keystore.location=${secure.keyStore}`,
    'ssl.truststore.type=PEM',
    `ssl.truststore.location=${secure.trustStore}`,
    '',
  ].join('\n');
}

function settingsOf(plan: NodePlan): string {
  const fields: Record<string, string | number> = {
    ID: plan.id,
    PORT: plan.port,
    CONTROLLER_PORT: plan.controllerPort,
    SECURE_LISTENER: plan.securePort ? `,SECURE://127.0.0.1:${plan.securePort}` : '',
    QUORUM: plan.quorum,
    DATA: plan.folder,
    REPLICAS: plan.replicas,
    IN_SYNC: plan.replicas > 1 ? 2 : 1,
  };
  const text = readFileSync(kitFile('server.properties'), 'utf8').replace(/@([A-Z_]+)@/g, (_, key: string) =>
    String(fields[key]),
  );
  return text + (plan.secure ? secureSettings(plan.secure) : '');
}

/** Writes the node's configuration and formats its storage. */
export async function formatNode(plan: NodePlan, jars: string): Promise<void> {
  mkdirSync(plan.folder, { recursive: true });
  const config = join(plan.folder, 'server.properties');
  writeFileSync(config, settingsOf(plan), { mode: 0o600 });
  const log = join(plan.folder, 'format.log');
  const out = openSync(log, 'w');
  const scram = plan.secure
    ? ['--add-scram', `SCRAM-SHA-256=[name=${plan.secure.username},password=${plan.secure.password}]`]
    : [];
  const format = ['format', '--cluster-id', plan.cluster, '--config', config, '--initial-controllers', plan.voters, ...scram];
  const child = spawn('java', [...javaArguments(jars, 128), 'kafka.tools.StorageTool', ...format], {
    stdio: ['ignore', out, out],
  });
  closeSync(out);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`Kafka could not format its storage: ${readFileSync(log, 'utf8').slice(-1000)}`);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** "Kafka Server started" comes after the broker was unfenced; the connect is the cross-check. */
async function untilReady(child: ChildProcess, plan: NodePlan, log: string): Promise<void> {
  const end = Date.now() + READY_MS;
  while (Date.now() < end) {
    if (readFileSync(log, 'utf8').includes('Kafka Server started') && (await accepts(plan.port))) return;
    if (child.exitCode !== null) throw new Error(`Kafka node ${plan.id} ended: ${readFileSync(log, 'utf8').slice(-1500)}`);
    await sleep(50);
  }
  throw new Error(`Kafka node ${plan.id} was not ready within ${READY_MS} ms`);
}

/** One broker process of a formatted folder; it ends with this process at the latest. */
export function createNode(plan: NodePlan, jars: string): KafkaNode {
  let child: ChildProcess | undefined;
  const reap = () => child?.kill('SIGKILL');
  return {
    async start() {
      const log = join(plan.folder, 'kafka.log');
      const out = openSync(log, 'w');
      const program = [...javaArguments(jars, 128), 'kafka.Kafka', join(plan.folder, 'server.properties')];
      child = spawn('java', program, { stdio: ['ignore', out, out], cwd: plan.folder });
      closeSync(out);
      process.once('exit', reap);
      await untilReady(child, plan, log);
    },
    async kill() {
      const ending = child;
      child = undefined;
      process.removeListener('exit', reap);
      if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
      const exited = once(ending, 'exit');
      ending.kill('SIGKILL');
      await exited;
    },
  };
}
