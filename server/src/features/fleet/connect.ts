import type { AgentStatus, ServerMessage } from '@svc/contracts/agent/messages';
import { agentStatus, FLEET_SERVICE } from '@svc/contracts/agent/messages';
import { encodeShared, type SharedTold } from '@svc/contracts/agent/shared-told';
import { RECEIPTS_METADATA } from '@svc/contracts/agent/version';
import { RESULTS_KEPT_DAYS } from '@svc/contracts/retention';
import { sha256 } from '#crypto';
import { type AgentStream, agentOf, toGrpcError } from '#edge';
import { AppError, type GrpcMount, type TenantId } from '#kernel';
import type { ContactLog } from './contact-log.ts';
import type { FleetContext, TenantFacts } from './context.ts';
import { readStatus } from './domain/read-status.ts';
import { signReceipt } from './message-receipts.ts';
import { createPolicyCache } from './policy/policy-cache.ts';
import { ringOf } from './policy/ring.ts';
import { createSharedTold } from './shared-told.ts';
import { createStatusRates, type SpendStatus } from './status-rates.ts';
import { createTenantFacts } from './tenant-facts.ts';

/** A certificate with less than this left is to be renewed now. */
const RENEW_BELOW_MS = 6 * 3_600_000;
const WRITES_PER_TURN = 200;

interface OpenStream {
  stream: AgentStream;
  tenant: TenantId;
  agentId: string;
  sentPolicy: string;
  /** What it was told of its tenant, as one text. */
  sentFacts: string;
  renewAsked: boolean;
  /** What it was told that it shares with others, as one text. */
  sentShared: string;
}

const message = (context: FleetContext, part: Partial<ServerMessage>): ServerMessage => ({
  policy_json: '',
  run_now: false,
  renew_now: false,
  server_clock_ms: context.clock.now(),
  ...part,
});

/** The streams that are open with this process, by tenant and agent. */
function createStreamSet() {
  const open = new Map<TenantId, Map<string, Set<OpenStream>>>();
  return {
    add(one: OpenStream): void {
      const agents = open.get(one.tenant) ?? new Map<string, Set<OpenStream>>();
      open.set(one.tenant, agents);
      agents.set(one.agentId, (agents.get(one.agentId) ?? new Set()).add(one));
    },
    remove(one: OpenStream): void {
      const agents = open.get(one.tenant);
      const streams = agents?.get(one.agentId);
      if (!streams?.delete(one)) return;
      if (streams.size === 0) agents?.delete(one.agentId);
      if (agents?.size === 0) open.delete(one.tenant);
    },
    ofAgent: (tenant: TenantId, agentId: string): OpenStream[] => [...(open.get(tenant)?.get(agentId) ?? [])],
    ofTenant: (tenant: TenantId): OpenStream[] => [...(open.get(tenant)?.values() ?? [])].flatMap((set) => [...set]),
    tenants: (): TenantId[] => [...open.keys()],
    agents: (): number => [...open.values()].reduce((sum, agents) => sum + agents.size, 0),
  };
}

/** Ring, organisation, readers and how long results are kept, for the device's own pages; `{}` when it was told so before. */
function factsFor(to: OpenStream, facts: TenantFacts | undefined): Partial<ServerMessage> {
  const about = { ring: ringOf(to.agentId), kept_days: RESULTS_KEPT_DAYS, ...facts };
  const text = JSON.stringify(about);
  if (to.sentFacts === text) return {};
  to.sentFacts = text;
  return about;
}

interface Told {
  policy: string;
  facts: TenantFacts | undefined;
}

function sendPolicy(context: FleetContext, to: OpenStream, { policy, facts }: Told): void {
  if (to.sentPolicy === policy || to.stream.cancelled || to.stream.writableEnded) return;
  to.sentPolicy = policy;
  to.stream.write(message(context, { policy_json: policy, ...factsFor(to, facts) }));
}

function sendFacts(context: FleetContext, to: OpenStream, facts: TenantFacts | undefined): void {
  // The first message, which has the policy, tells them first.
  if (to.sentPolicy === '' || to.stream.cancelled || to.stream.writableEnded) return;
  const about = factsFor(to, facts);
  if (about.ring) to.stream.write(message(context, about));
}

const NOTHING_SHARED = encodeShared(null);

function sendShared(context: FleetContext, to: OpenStream, shared: SharedTold | null): void {
  // The first message has the policy.
  if (to.sentPolicy === '') return;
  const text = encodeShared(shared);
  if (to.sentShared === text || to.stream.cancelled || to.stream.writableEnded) return;
  to.sentShared = text;
  to.stream.write(message(context, { shared_json: text }));
}

function askRenewal(context: FleetContext, to: OpenStream, notAfterMs: number): void {
  if (to.renewAsked || notAfterMs - context.clock.now() > RENEW_BELOW_MS) return;
  to.renewAsked = true;
  to.stream.write(message(context, { renew_now: true }));
}

/** Says which status came, to a device that keeps a record of what it sent. */
async function sendReceipt(context: FleetContext, to: OpenStream, bytes: Buffer): Promise<void> {
  if (to.stream.metadata.get(RECEIPTS_METADATA).length === 0) return;
  const digest = sha256(bytes);
  const signed = await signReceipt(context, to, { kind: 'status', digest });
  if (!signed || to.stream.cancelled || to.stream.writableEnded) return;
  const { receipt, receivedAtMs } = signed;
  to.stream.write(message(context, { server_clock_ms: receivedAtMs, receipt_of: digest, receipt }));
}

/** A device that reports faster than its rate is read later: what it costs stays with it, and nothing that it reports is lost. */
function holdAfterStatus(stream: AgentStream, spend: SpendStatus): void {
  const { agent } = agentOf(stream);
  let held: NodeJS.Timeout | undefined;
  stream.on('data', () => {
    const ms = spend(agent);
    if (ms === 0) return;
    stream.pause();
    clearTimeout(held);
    held = setTimeout(() => stream.resume(), ms);
  });
  for (const event of ['cancelled', 'finish', 'close']) stream.once(event, () => clearTimeout(held));
}

/** The Fleet service: statuses come in, policy and requests go out, on one stream a device. */
export function createFleetConnect(context: FleetContext, contacts: ContactLog) {
  const streams = createStreamSet();
  const policies = createPolicyCache(context);
  const readFacts = createTenantFacts(context);
  const readShared = createSharedTold(context);
  const spendStatus = createStatusRates();
  const tellShared = async (to: OpenStream): Promise<void> => {
    const { tellShared: isTold } = await policies.read(to.tenant);
    sendShared(context, to, isTold ? await readShared(to.tenant, to.agentId) : null);
  };
  const readTold = async (tenant: TenantId): Promise<Told> => {
    const [policy, facts] = await Promise.all([policies.read(tenant), readFacts(tenant)]);
    return { policy: policy.text, facts };
  };

  const connect = (stream: AgentStream) => {
    const { agent, draining } = agentOf(stream);
    const { tenant, agentId } = agent;
    const one: OpenStream = {
      stream,
      tenant,
      agentId,
      sentPolicy: '',
      sentFacts: '',
      renewAsked: false,
      sentShared: NOTHING_SHARED,
    };
    streams.add(one);
    contacts.note(agent);
    const fail = (error: unknown) => stream.emit('error', toGrpcError(error));
    holdAfterStatus(stream, spendStatus);
    stream.on('data', (bytes: Buffer) => {
      try {
        contacts.note(agent, readStatus(decodeStatus(bytes), context.clock.now()));
        sendReceipt(context, one, bytes).catch(fail);
        askRenewal(context, one, agent.notAfterMs);
        readFacts(tenant).then((facts) => sendFacts(context, one, facts), fail);
        tellShared(one).catch(fail);
      } catch (error) {
        fail(error);
      }
    });
    stream.on('end', () => stream.end());
    for (const event of ['cancelled', 'finish', 'close']) stream.once(event, () => streams.remove(one));
    draining.addEventListener('abort', () => stream.end(), { once: true });
    readTold(tenant).then((told) => sendPolicy(context, one, told), fail);
  };

  /** Gives a changed policy to the streams of its tenant, a part at a time so that thousands do not stop the loop. */
  const pushPolicy = async (tenant: TenantId): Promise<void> => {
    policies.drop(tenant);
    const open = streams.ofTenant(tenant);
    if (open.length === 0) return;
    const told = await readTold(tenant);
    for (let i = 0; i < open.length; i += WRITES_PER_TURN) {
      for (const one of open.slice(i, i + WRITES_PER_TURN)) sendPolicy(context, one, told);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  const mount: GrpcMount = {
    // Bytes are decoded in the handler, so that what is no status ends with our words and not with a crash of the codec.
    definition: { connect: { ...FLEET_SERVICE.connect, requestDeserialize: (bytes: Buffer) => bytes } },
    implementation: { connect: connect as never },
  };

  return {
    mount,
    pushPolicy,
    /** Every tenant's policy may have changed: reads all again that are in use. */
    async pushAllPolicies(): Promise<void> {
      policies.clear();
      for (const tenant of streams.tenants()) await pushPolicy(tenant);
    },
    /** Asks a device to measure now; false when it holds no stream with this process. */
    runNow(tenant: TenantId, agentId: string): boolean {
      const open = streams.ofAgent(tenant, agentId);
      for (const { stream } of open) stream.write(message(context, { run_now: true }));
      return open.length > 0;
    },
    connected: streams.agents,
  };
}

function decodeStatus(bytes: Buffer): AgentStatus {
  try {
    return agentStatus.decode(bytes);
  } catch (error) {
    throw new AppError('validation', 'Invalid agent status.', { cause: error });
  }
}
