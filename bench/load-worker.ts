import { Client, type ClientDuplexStream, credentials as grpcCredentials, Metadata } from '@grpc/grpc-js';
import { type BatchAck, RESULTS_SERVICE } from '@svc/contracts/agent/messages';
import { AGENT_PROTOCOL, PROTOCOL_METADATA } from '@svc/contracts/agent/version';
import { type Credentials, type EncodedBatch, encodeBatch } from '@svc/desktop-agent/headless';
import { planFleet } from '@svc/simulator/domain/plan-fleet';
import { createMeasuringDevice } from '@svc/simulator/measure-device';
import { makeTemplate, stampTemplate, type Template } from './load-templates.ts';

/** What the benchmark tells a sender: who it is, for how long and how much at once. */
export interface LoadOrder {
  agents: Credentials[];
  firstSender: number;
  batch: number;
  /** Batches under way for each agent. */
  window: number;
  /** Results a second of this worker at most; 0: as fast as they are acknowledged. */
  rate: number;
  seconds: number;
}

/** Told each second and at the end, with the newest start that each agent was acknowledged for. */
export interface LoadReport {
  type: 'progress' | 'done';
  acknowledged: number;
  rejected: number;
  failed: string | undefined;
  newest: Record<string, number>;
}

const every = { wifi: 300_000, gateway: 300_000, path: 300_000, session: 300_000 };

function templatesOf(agentId: string, index: number): Template[] {
  const device = planFleet(200, 1)[index % 200];
  if (!device) throw new Error('no such device');
  const measuring = createMeasuringDevice({ device, agentId, seed: 1, anchorMs: Date.now() });
  return measuring.measure(Date.now(), { depth: 'all', probes: 25, intervals: every }).map(makeTemplate);
}

interface Sender {
  agentId: string;
  number: number;
  templates: Template[];
  stream: ClientDuplexStream<EncodedBatch, BatchAck>;
  client: Client;
  sequence: number;
  count: number;
  underWay: number;
}

function openSender({ identity, keyPem }: Credentials, number: number): Sender {
  const ssl = grpcCredentials.createSsl(Buffer.from(identity.grpcCa), Buffer.from(keyPem), Buffer.from(identity.chain));
  const client = new Client(identity.grpcAddr, ssl, { 'grpc.use_local_subchannel_pool': 1 });
  const metadata = new Metadata();
  metadata.set(PROTOCOL_METADATA, String(AGENT_PROTOCOL));
  const { path, responseDeserialize } = RESULTS_SERVICE.publish;
  const stream = client.makeBidiStreamRequest<EncodedBatch, BatchAck>(path, encodeBatch, responseDeserialize, metadata);
  const templates = templatesOf(identity.agentId, number);
  return { agentId: identity.agentId, number, templates, stream, client, sequence: 0, count: 0, underWay: 0 };
}

function sendBatch(sender: Sender, size: number): number {
  const ms = Date.now();
  const results = Array.from({ length: size }, () => {
    sender.count += 1;
    const template = sender.templates[sender.count % sender.templates.length] as Template;
    return stampTemplate(template, { ms, sender: sender.number, count: sender.count });
  });
  sender.sequence += 1;
  sender.underWay += 1;
  sender.stream.write({ sequence: sender.sequence, results });
  return ms;
}

/** Drives its agents until the time is over and everything is acknowledged. */
function runLoad(order: LoadOrder): void {
  const report: LoadReport = { type: 'progress', acknowledged: 0, rejected: 0, failed: undefined, newest: {} };
  const senders = order.agents.map((agent, at) => openSender(agent, order.firstSender + at));
  const begunMs = Date.now();
  const endMs = begunMs + order.seconds * 1000;
  let sent = 0;
  const maySend = (): boolean => order.rate === 0 || sent < (order.rate * (Date.now() - begunMs)) / 1000;
  const fill = (sender: Sender): void => {
    while (Date.now() < endMs && sender.underWay < order.window && maySend()) {
      report.newest[sender.agentId] = sendBatch(sender, order.batch);
      sent += order.batch;
    }
  };
  const finishWhenAcknowledged = (): void => {
    if (Date.now() < endMs || senders.some(({ underWay }) => underWay > 0)) return;
    clearInterval(timer);
    for (const { stream, client } of senders) {
      stream.end();
      client.close();
    }
    process.send?.({ ...report, type: 'done' } satisfies LoadReport, () => process.exit(0));
  };
  for (const sender of senders) {
    sender.stream.on('data', (ack: BatchAck) => {
      report.acknowledged += ack.accepted;
      report.rejected += ack.rejected;
      sender.underWay -= 1;
      fill(sender);
      finishWhenAcknowledged();
    });
    sender.stream.on('error', (error) => {
      report.failed = error.message;
      process.send?.({ ...report, type: 'done' } satisfies LoadReport, () => process.exit(1));
    });
  }
  let ticks = 0;
  const timer = setInterval(() => {
    for (const sender of senders) fill(sender);
    finishWhenAcknowledged();
    ticks += 1;
    if (ticks % 50 === 0) process.send?.(report);
  }, 20);
}

process.once('message', (order) => runLoad(order as LoadOrder));
