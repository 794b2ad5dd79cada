import {
  COLLECT_DEFAULTS,
  type Credentials,
  createLink,
  createMemorySpool,
  decodeRecord,
  type EndpointResult,
  encodeRecord,
  enroll,
  type Link,
  type LinkDeps,
  minimise,
  renew,
  type Spool,
} from '@svc/desktop-agent/headless';
import { uuidv7 } from 'uuidv7';

const BACK_OFF = { firstMs: 100, maxMs: 1000, slowMs: 1000, random: Math.random };

/** One device that speaks the real protocol: the agent's own spool, certificates and link, only its measurements are made up. */
export interface Sender {
  agentId: string;
  /** Ids of what was spooled: from here on nothing may be lost. */
  spooled: Set<string>;
  /** Ids of what the server acknowledged. */
  acknowledged: Set<string>;
  /** Times at which a connection was accepted. */
  connections(): number;
  isConnected(): boolean;
  /** Results that the server refused. */
  rejected(): number;
  waiting(): number;
  add(count: number): Promise<void>;
  /** Adds so many results each 50 ms until the function that it gives is called. */
  keepAdding(count: number): () => Promise<void>;
  stop(): Promise<void>;
}

export interface SenderOptions {
  credentials: Credentials;
  spool?: Spool;
  /** How far this device's clock is ahead, milliseconds. */
  clockAheadMs?: number;
}

export const enrolDevice = (server: string, token: string, name: string): Promise<Credentials> =>
  enroll({ server, token, facts: { agent_version: '0.1.0', device_name: name, os: 'linux' } });

/** A gateway reading of now, by the device's clock. */
export const makeReading = (id: string, startedAtMs: number): EndpointResult => ({
  result_id: id,
  canary_type: 'endpoint.gateway',
  started_at: new Date(startedAtMs).toISOString(),
  present: true,
  success: true,
  metrics: { 'rtt.avg.ms': 1.5, 'packet.loss.ratio': 0 },
  attributes: {},
});

/** What the device says of itself. */
const statusOf = (spool: Spool, clockMs: number): ReturnType<LinkDeps['status']> => ({
  state: 'running',
  paused_until_ms: 0,
  agent_version: '0.1.0',
  os: 'linux',
  os_version: '',
  arch: 'x64',
  model: '',
  policy_version: 0,
  spool_results: spool.status().results,
  spool_dropped: spool.status().dropped,
  device_name: '',
  clock_ms: clockMs,
  disclosure_shown_at: '',
  simulated: false,
});

export function startSender({ credentials, spool = createMemorySpool(64 << 20), clockAheadMs = 0 }: SenderOptions): Sender {
  let held = credentials;
  let connections = 0;
  let connected = false;
  let rejected = 0;
  const spooled = new Set<string>();
  const acknowledged = new Set<string>();
  const clock = () => Date.now() + clockAheadMs;
  const link: Link = createLink({
    spool,
    credentials: async () => held,
    recover: async () => {
      held = await renew({ credentials: held });
    },
    status: () => statusOf(spool, clock()),
    onMessage: () => {},
    onDelivered: async (records, ack) => {
      rejected += ack.rejected;
      for (const record of records) acknowledged.add(decodeRecord(record).result.result_id);
    },
    onState: (state) => {
      if (state.connected && !connected) connections += 1;
      connected = state.connected;
    },
    lingerMs: 20,
    backOff: BACK_OFF,
  });

  async function add(count: number): Promise<void> {
    const ids = Array.from({ length: count }, () => uuidv7());
    await spool.append(ids.map((id) => encodeRecord(minimise(makeReading(id, clock()), COLLECT_DEFAULTS))));
    for (const id of ids) spooled.add(id);
    link.wake('linger');
  }

  return {
    agentId: credentials.identity.agentId,
    spooled,
    acknowledged,
    connections: () => connections,
    isConnected: () => connected,
    rejected: () => rejected,
    waiting: () => spool.status().results,
    add,
    keepAdding(count) {
      let last = Promise.resolve();
      const timer = setInterval(() => {
        last = last.then(() => add(count));
      }, 50);
      return async () => {
        clearInterval(timer);
        await last;
      };
    },
    stop: () => link.stop(),
  };
}
