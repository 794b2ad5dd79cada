import type { AgentStatus } from '@svc/contracts/agent/messages';
import { AGENT_PROTOCOL } from '@svc/contracts/agent/version';
import { PolicyFromServer } from '@svc/contracts/policy';
import type { AgentState } from '@svc/contracts/verdict';
import {
  AgentError,
  type Credentials,
  createLink,
  createMemorySpool,
  type DeviceFacts,
  enroll,
  type Link,
  type LinkState,
  needsRenewal,
  renew,
  type Spool,
} from '@svc/desktop-agent/headless';
import type { Device } from './domain/device.ts';
import { createMeasuringDevice, type KeptOnset, type MeasuringDevice } from './measure-device.ts';

/** What all devices of a run share. */
export interface FleetSettings {
  server: string;
  token: string;
  seed: number;
  /** Unix milliseconds. */
  anchorMs: number;
  now(): number;
  onDelivered(accepted: number, rejected: readonly string[]): void;
  onCredentials(device: Device, credentials: Credentials): void;
  /** What was wrong with a device when an earlier run, or its former connection, judged it last. */
  earlierOnset(device: Device): KeptOnset | undefined;
  onOnset(device: Device, kept: KeptOnset): void;
  onRunNow(agent: SimulatedAgent): void;
}

/** One device with an identity and a connection of its own. */
export interface SimulatedAgent {
  device: Device;
  measuring: MeasuringDevice;
  spool: Spool;
  link: Link;
  state(): LinkState;
  /** Resolves when the server first took or refused it. */
  answered: Promise<void>;
}

const SPOOL_BYTES = 4 * 1024 * 1024;
const HOUR = 3_600_000;

export function factsOf(device: Device): DeviceFacts {
  return {
    agent_version: device.agentVersion,
    ...(device.strict ? {} : { device_name: device.name, os_version: device.osVersion, model: device.model }),
    owner_email: device.owner,
    site: device.site,
    os: device.os,
    arch: device.arch,
  };
}

/** Enrols a device; with the key of an earlier time it stays the same agent. Throws AgentError. */
export const enrolDevice = async (device: Device, fleet: FleetSettings, keyPem?: string): Promise<Credentials> =>
  await enroll({
    server: fleet.server,
    token: fleet.token,
    facts: factsOf(device),
    protocol: AGENT_PROTOCOL - device.protocolsBehind,
    ...(keyPem === undefined ? {} : { keyPem }),
  });

const stateOf = ({ declined, withoutLocation }: Device, isPaused: boolean): AgentState => {
  if (declined) return 'declined';
  if (isPaused) return 'paused';
  return withoutLocation ? 'needs_permission' : 'running';
};

/** What an agent says of the person before it; nobody accepts where there is no window. */
const faceOf = ({
  face,
  declined,
  withoutLocation,
}: Device): Pick<AgentStatus, 'face' | 'missing_permissions' | 'disclosure'> => ({
  face,
  missing_permissions: withoutLocation ? ['location'] : [],
  disclosure: declined ? 'declined' : face === 'window' ? 'accepted' : 'shown',
});

function statusOf(agent: Pick<SimulatedAgent, 'device' | 'measuring' | 'spool'>, fleet: FleetSettings): AgentStatus {
  const { device, measuring, spool } = agent;
  const nowMs = fleet.now();
  const atMs = nowMs - fleet.anchorMs;
  const isPaused = device.paused !== null && atMs >= device.paused.fromMs && atMs < device.paused.untilMs;
  const collect = measuring.collect();
  return {
    ...faceOf(device),
    state: stateOf(device, isPaused),
    paused_until_ms: isPaused ? Math.round(fleet.anchorMs + (device.paused?.untilMs ?? 0)) : 0,
    agent_version: device.agentVersion,
    os: device.os,
    os_version: collect.hostFacts ? device.osVersion : '',
    arch: device.arch,
    model: collect.hostFacts ? device.model : '',
    policy_version: measuring.policyVersion(),
    spool_results: spool.status().results,
    spool_dropped: spool.status().dropped,
    device_name: collect.deviceName ? device.name : '',
    clock_ms: nowMs,
    disclosure_shown_at: new Date(fleet.anchorMs - 30 * 24 * HOUR).toISOString(),
    simulated: true,
  };
}

function takePolicy(text: string, measuring: MeasuringDevice): void {
  const parsed = text === '' ? undefined : PolicyFromServer.safeParse(JSON.parse(text));
  if (parsed?.success) measuring.setPolicy(parsed.data);
}

/**
 * Opens the device's connection with what it was enrolled with; results given to its spool are sent, in order. A refused one comes
 * with a protocol two versions behind.
 */
export function startAgent(
  device: Device,
  as: { enrolled: Credentials; refused: boolean },
  fleet: FleetSettings,
): SimulatedAgent {
  let credentials = as.enrolled;
  let linkState: LinkState = { connected: false, problem: null, message: null, since: fleet.now() };
  const keep = (next: Credentials): Credentials => {
    credentials = next;
    fleet.onCredentials(device, next);
    return next;
  };
  const protocol = AGENT_PROTOCOL - device.protocolsBehind;
  const answer = Promise.withResolvers<void>();
  const spool = createMemorySpool(SPOOL_BYTES);
  const { seed, anchorMs } = fleet;
  const measuring = createMeasuringDevice({
    ...{ device, agentId: credentials.identity.agentId, seed, anchorMs },
    earlier: fleet.earlierOnset(device),
    onOnset: (kept) => fleet.onOnset(device, kept),
  });
  const link = createLink({
    spool,
    credentials: async () =>
      needsRenewal(credentials.identity, fleet.now()) ? keep(await renew({ credentials, protocol })) : credentials,
    async recover(ending) {
      if (ending.kind === 'unknown_agent') keep(await enrolDevice(device, fleet, credentials.keyPem));
      else keep(await renew({ credentials, protocol }));
    },
    status: () => statusOf({ device, measuring, spool }, fleet),
    onMessage(message) {
      takePolicy(message.policy_json, measuring);
      if (message.run_now) fleet.onRunNow(agent);
      // The open connection stays; the next one asks for a new certificate first.
      if (message.renew_now)
        credentials = { ...credentials, identity: { ...credentials.identity, notAfter: new Date(0).toISOString() } };
    },
    onDelivered: async (_records, ack) => fleet.onDelivered(ack.accepted, ack.rejected_reasons),
    onState: (state) => {
      linkState = state;
      answer.resolve();
    },
    now: fleet.now,
    protocol: as.refused ? AGENT_PROTOCOL - 2 : protocol,
    // Over the loopback, where bytes are cheap and two cores serve both ends.
    compress: false,
  });
  const agent: SimulatedAgent = { device, measuring, spool, link, state: () => linkState, answered: answer.promise };
  return agent;
}

/** True for what another try cannot cure. */
export const isFinal = (error: unknown): boolean =>
  error instanceof AgentError && !['unreachable', 'unavailable', 'rate_limited', 'internal'].includes(error.code);
