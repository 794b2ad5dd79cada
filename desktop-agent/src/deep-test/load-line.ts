import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientDuplexStream, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { LineFault, LineView } from '@svc/contracts/agent/deep-test';
import { type Echo, LINK_TEST_BOUNDS, LINK_TEST_SERVICE, type LoadChunk } from '@svc/contracts/agent/link-test';
import { AGENT_PROTOCOL, ERROR_CODE_METADATA, PROTOCOL_METADATA } from '@svc/contracts/agent/version';
import { medianOf } from '@svc/probes/round-trips';
import type { Credentials } from '../identity/identity.ts';
import { createClient } from '../publish/connection.ts';
import { type LineTraffic, meter } from './line-traffic.ts';

export interface LoadLineRequest {
  credentials: Credentials;
  /** PEM of this device's roots, where they prove the server. */
  roots?: readonly string[];
  protocol?: number;
  /** Payload each way, at most LINK_TEST_BOUNDS.loadBytes. */
  bytes?: number;
  /** Without load, and at most for each way. */
  idleMs?: number;
  loadMs?: number;
  signal: AbortSignal;
  /** Hears at the end, be it in vain, of all that was carried each way. */
  onTraffic?(traffic: readonly LineTraffic[]): void;
}

const DEFAULTS = { idleMs: 1500, loadMs: 3500 } as const;
const ECHO_EACH_MS = 50;
/** After the sending ended, for what is still on its way. */
const SETTLE_MS = 1500;
const FEWEST_ECHOES = 3;
const NOTHING = Buffer.alloc(0);

type Phase = 'idle' | 'upload' | 'download';

/** Sends echoes at a steady pace and keeps each round trip under the phase in which it was sent. */
function startEchoes(stream: ClientDuplexStream<Echo, Echo>) {
  const sent = new Map<number, { phase: Phase; atMs: number }>();
  const rtts: Record<Phase, number[]> = { idle: [], upload: [], download: [] };
  let phase: Phase = 'idle';
  let sequence = 0;
  stream.on('data', ({ sequence: back }: Echo) => {
    const found = sent.get(back);
    sent.delete(back);
    if (found) rtts[found.phase].push(performance.now() - found.atMs);
  });
  const timer = setInterval(() => {
    if (sequence >= LINK_TEST_BOUNDS.echoes) return;
    sequence += 1;
    sent.set(sequence, { phase, atMs: performance.now() });
    stream.write({ sequence });
  }, ECHO_EACH_MS);
  return {
    enter: (next: Phase): void => {
      phase = next;
    },
    /** What is not back yet took at least until now. */
    medianMs(of: Phase): number | null {
      const late = [...sent.values()].filter((one) => one.phase === of).map((one) => performance.now() - one.atMs);
      const all = [...rtts[of], ...late];
      return all.length < FEWEST_ECHOES ? null : medianOf(all);
    },
    stop: (): void => clearInterval(timer),
  };
}

interface Loading {
  stream: ClientDuplexStream<LoadChunk, LoadChunk>;
  bytes: number;
  loadMs: number;
  signal: AbortSignal;
}

/** Waits for the condition, looked at on each message, no longer than the limit. */
async function until(stream: Loading['stream'], isDone: () => boolean, { ms, signal }: { ms: number; signal: AbortSignal }) {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  const over = Promise.withResolvers<void>();
  const look = (): void => {
    if (isDone()) over.resolve();
  };
  stream.on('data', look);
  limit.addEventListener('abort', () => over.resolve(), { once: true });
  look();
  await over.promise;
  stream.off('data', look);
  signal.throwIfAborted();
}

async function upload({ stream, bytes, loadMs, signal }: Loading): Promise<LineView['upload']> {
  const payload = crypto.getRandomValues(Buffer.alloc(LINK_TEST_BOUNDS.chunkBytes));
  const startedMs = performance.now();
  let sent = 0;
  let taken = 0;
  let takenAtMs = startedMs;
  const note = ({ taken_bytes }: LoadChunk): void => {
    taken = taken_bytes;
    takenAtMs = performance.now();
  };
  stream.on('data', note);
  while (sent < bytes && performance.now() - startedMs < loadMs && !signal.aborted) {
    const part = payload.subarray(0, Math.min(payload.length, bytes - sent));
    sent += part.length;
    const isFree = stream.write({ wanted_bytes: 0, taken_bytes: 0, payload: part });
    // A line that takes nothing any more ends with the time, not with the test.
    const leftMs = Math.max(1, loadMs - (performance.now() - startedMs));
    if (!isFree) await Promise.race([new Promise((resolve) => stream.once('drain', resolve)), sleep(leftMs)]);
  }
  await until(stream, () => taken >= sent, { ms: SETTLE_MS, signal });
  stream.off('data', note);
  return { bytes: taken, tookMs: takenAtMs - startedMs, echoMs: null };
}

async function download({ stream, bytes, loadMs, signal }: Loading): Promise<LineView['download']> {
  const startedMs = performance.now();
  let received = 0;
  let lastMs = startedMs;
  const note = ({ payload }: LoadChunk): void => {
    received += payload.length;
    lastMs = performance.now();
  };
  stream.on('data', note);
  stream.write({ wanted_bytes: bytes, taken_bytes: 0, payload: NOTHING });
  await until(stream, () => received >= bytes, { ms: loadMs, signal });
  stream.off('data', note);
  return { bytes: received, tookMs: lastMs - startedMs, echoMs: null };
}

function faultOf(error: unknown): LineFault {
  const { code, metadata } = error as Partial<ServiceError>;
  if (code === status.UNIMPLEMENTED) return 'not_offered';
  return metadata?.get(ERROR_CODE_METADATA)[0] === 'rate_limited' ? 'too_often' : 'failed';
}

/**
 * Fills the line to the control plane, each way in turn, and measures round trips meanwhile on a connection of their own: a queue that
 * grows on the way shows as echoes that come late. Bytes are random; nothing else is in them. Rejects only when aborted.
 */
export async function loadLine(request: LoadLineRequest): Promise<LineView> {
  const { credentials, signal, protocol = AGENT_PROTOCOL, bytes = LINK_TEST_BOUNDS.loadBytes } = request;
  const { idleMs = DEFAULTS.idleMs, loadMs = DEFAULTS.loadMs } = request;
  signal.throwIfAborted();
  const metadata = new Metadata();
  metadata.set(PROTOCOL_METADATA, String(protocol));
  const open = () =>
    createClient(credentials, { compress: false, roots: request.roots, windowBytes: LINK_TEST_BOUNDS.windowBytes });
  const [echoClient, loadClient] = [open(), open()];
  const { load, echo } = LINK_TEST_SERVICE;
  const meters = { load: meter('load', load), echo: meter('echo', echo) };
  const echoStream = echoClient.makeBidiStreamRequest<Echo, Echo>(
    echo.path,
    meters.echo.requestSerialize,
    meters.echo.responseDeserialize,
    metadata,
  );
  const stream = loadClient.makeBidiStreamRequest<LoadChunk, LoadChunk>(
    load.path,
    meters.load.requestSerialize,
    meters.load.responseDeserialize,
    metadata,
  );
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  for (const one of [echoStream, stream]) one.on('error', broken.reject);
  const view: LineView = { idleMs: null, upload: null, download: null, fault: null };
  const loading = { stream, bytes, loadMs, signal };
  const echoes = startEchoes(echoStream);
  const run = async (): Promise<void> => {
    await sleep(idleMs, undefined, { signal });
    echoes.enter('upload');
    view.upload = await upload(loading);
    echoes.enter('download');
    view.download = await download(loading);
    echoes.stop();
    // The last echoes of a full queue come late.
    await sleep(Math.min(SETTLE_MS, loadMs), undefined, { signal });
  };
  try {
    await Promise.race([run(), broken.promise]);
  } catch (error) {
    signal.throwIfAborted();
    view.fault = faultOf(error);
  } finally {
    echoes.stop();
    for (const one of [echoStream, stream]) one.cancel();
    for (const one of [echoClient, loadClient]) one.close();
    request.onTraffic?.(Object.values(meters).flatMap(({ traffic }) => traffic()));
  }
  return {
    ...view,
    idleMs: echoes.medianMs('idle'),
    upload: view.upload && { ...view.upload, echoMs: echoes.medianMs('upload') },
    download: view.download && { ...view.download, echoMs: echoes.medianMs('download') },
  };
}
