// The receiver's own thread: listeners, tokens, inflating and walking. The bus is with the main thread (docs/adr/0006-otlp.md).
import { parentPort, workerData } from 'node:worker_threads';
import { createSharedPieces } from '@svc/otlp-wire/shared-pieces';
import { createIntake } from './admit.ts';
import { createCounters } from './counters.ts';
import type { FromWorker, ReceiverSettings, ToWorker } from './messages.ts';
import { createOutbox } from './outbox.ts';
import { createTokenGate } from './token-gate.ts';
import { createGrpcListener } from './transport/grpc-listener.ts';
import { createHttpListener } from './transport/http-listener.ts';
import type { Listener } from './transport/listener.ts';

const REPORT_EVERY_MS = 500;

const port = parentPort;
if (!port) throw new Error('otlp/worker.ts is the entry of a worker thread');
const settings = workerData as ReceiverSettings;
const post = (message: FromWorker): void => port.postMessage(message);

const gate = createTokenGate();
gate.setTokens(settings.tokens);
const counters = createCounters();
const outbox = createOutbox(post, settings);
const MIB = 1024 * 1024;
const memory = createSharedPieces({ smallestBytes: MIB / 64, sizes: 9, mostBytes: 64 * MIB });
const { maxBytes, maxMessageBytes, tls, clientCa, limits } = settings;
const intake = createIntake({ gate, counters, memory, maxBytes, maxMessageBytes, publish: outbox.publish });
const listeners: Record<'grpc' | 'http', Listener | undefined> = {
  grpc: settings.grpc && createGrpcListener({ intake, tls, clientCa, limits }),
  http: settings.http && createHttpListener({ intake, tls, clientCa, limits }),
};
const open = Object.values(listeners).filter((listener) => listener !== undefined);

let reported = '';
const report = (ack?: number): void => {
  const connections = { grpc: listeners.grpc?.connections(), http: listeners.http?.connections() };
  const seen = JSON.stringify(connections);
  if (ack === undefined && counters.isEmpty() && seen === reported) return;
  reported = seen;
  post({ type: 'report', report: { ...counters.take(), connections }, ...(ack === undefined ? {} : { ack }) });
};
const reporting = setInterval(report, REPORT_EVERY_MS);

async function listenAt(name: 'grpc' | 'http'): Promise<number | undefined> {
  const address = settings[name];
  try {
    return address && (await listeners[name]?.listen(address));
  } catch (error) {
    post({ type: 'failed', listener: name, code: String(Reflect.get(Object(error), 'code') ?? error) });
    throw error;
  }
}

async function drain(deadlineMs: number): Promise<void> {
  clearInterval(reporting);
  intake.drain();
  await Promise.all(open.map((listener) => listener.drain(deadlineMs)));
  report(0);
  post({ type: 'drained' });
}

port.on('message', (message: ToWorker) => {
  if (message.type === 'results') {
    memory.giveBack(outbox.piecesOf(message.pieces));
    outbox.settle(message.results);
  } else if (message.type === 'tokens') {
    gate.setTokens(message.tokens);
    post({ type: 'taken', ack: message.ack });
  } else if (message.type === 'tls') for (const listener of open) listener.setTls(message.tls);
  else if (message.type === 'report') report(message.ack);
  else void drain(message.deadlineMs);
});

try {
  const grpc = await listenAt('grpc');
  const http = await listenAt('http');
  post({ type: 'listening', ports: { grpc, http } });
} catch {
  // The main thread was told why, and ends this one.
}
