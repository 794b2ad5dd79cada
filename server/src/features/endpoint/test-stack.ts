import type { WireResult } from '@svc/contracts/agent/messages';
import { pino } from 'pino';
import { uuidv7obj } from 'uuidv7';
import { createCallerFactory, router } from '#api';
import { type Bus, createMemoryBus } from '#bus';
import type { Ctx, TenantId } from '#kernel';
import { openTestTelemetry } from '#test-telemetry';
import { createEndpointIntake } from '../endpoint-intake/index.ts';
import { startFleetStack } from '../fleet/test-stack.ts';
import { createResults } from '../results/index.ts';
import { createEndpoint } from './index.ts';

const log = pino({ level: 'silent' });

/** Fleet and endpoint as compose ties them, on real stores and real listeners; `wrapBus` puts faults before the bus. */
export async function startEndpointStack(wrapBus: (bus: Bus) => Bus = (bus) => bus) {
  const bus = createMemoryBus({ log });
  const telemetry = await openTestTelemetry();
  let endpoint: ReturnType<typeof createEndpoint> | undefined;
  let intake: ReturnType<typeof createEndpointIntake> | undefined;
  let results: ReturnType<typeof createResults> | undefined;
  let noteContact: Parameters<typeof createEndpointIntake>[0]['noteContact'] = () => {};
  let receiptSigner: Parameters<typeof createEndpointIntake>[0]['receiptSigner'] = async () => () => Buffer.alloc(0);
  const stack = await startFleetStack({
    extend: ({ relational, clock }) => {
      results = createResults({ bus, telemetry, clock, log, onStored: (tenant, count) => intake?.noteStored(tenant, count) });
      intake = createEndpointIntake({
        bus: wrapBus(bus),
        noteContact: (agent) => noteContact(agent),
        receiptSigner: (tenant) => receiptSigner(tenant),
        clock,
        log,
      });
      endpoint = createEndpoint({
        relational,
        bus: wrapBus(bus),
        results: results.queries,
        toCanonical: results.toCanonical,
        series: telemetry.series,
        onViewed: (tenant, count) => intake?.noteViewed(tenant, count),
        clock,
        log,
      });
      return {
        mounts: intake.grpc,
        deps: { writeAgentCopies: endpoint.writeAgentCopies, removeAgentCopies: endpoint.removeAgentCopies },
      };
    },
  });
  if (!endpoint || !intake || !results) throw new Error('the stack was not extended');
  const slice = endpoint;
  const intakeSlice = intake;
  const resultsSlice = results;
  noteContact = stack.fleet.noteContact;
  receiptSigner = stack.fleet.receiptSigner;
  return {
    ...stack,
    bus,
    endpoint: slice,
    intake: intakeSlice,
    results: resultsSlice,
    async startConsumers(): Promise<void> {
      await resultsSlice.start();
      await slice.start(() => true);
    },
    callAs(tenant: TenantId) {
      const permissions = new Set(['agent.read', 'agent.write'] as const);
      const ctx: Ctx = { principal: { kind: 'account', id: 'someone', tenant, permissions }, requestId: 'test' };
      const procedures = router({ endpoint: slice.procedures, fleet: stack.fleet.procedures });
      return createCallerFactory(procedures)({ requestId: 'test', ctx });
    },
    async close(): Promise<void> {
      await slice.close();
      await resultsSlice.close();
      await stack.close();
      await bus.close();
      await telemetry.close();
    },
  };
}

export type EndpointStack = Awaited<ReturnType<typeof startEndpointStack>>;

/** A result as an agent sends it, measured now. */
export const makeWire = (part: Partial<WireResult> = {}): WireResult => ({
  result_id: uuidv7obj().bytes,
  canary_type: 'endpoint.gateway',
  server_address: '',
  server_port: 0,
  success: 0,
  error: '',
  started_at_us: Date.now() * 1000,
  duration_ms: 5,
  present: true,
  metrics: { 'rtt.avg.ms': 4, 'packet.loss.ratio': 0 },
  attributes: { 'network.gateway.address': '10.20.3.1' },
  ...part,
});

/** What a device measures in one round when its Wi-Fi is weak. */
export const makeWeakWifiRound = (): WireResult[] => [
  makeWire({
    canary_type: 'endpoint.wifi',
    metrics: { 'rssi.dbm': -82 },
    attributes: { 'unavailable.noise.dbm': 'not_supported' },
  }),
  makeWire(),
  makeWire({
    canary_type: 'endpoint.session',
    server_address: 'crm.example',
    success: 1,
    metrics: { 'dns.ms': 20, 'connect.ms': 60, 'tls.ms': 90, 'ttfb.ms': 300, 'total.ms': 6400 },
    attributes: { 'svc.session.role': 'target' },
  }),
  makeWire({
    canary_type: 'endpoint.lastmile',
    server_address: '198.51.100.9',
    metrics: {
      hops: 3,
      'hop.1.rtt.avg.ms': 4,
      'hop.2.rtt.avg.ms': 12,
      'segment.isp-edge.rtt.avg.ms': 12,
      'segment.isp-edge.packet.loss.ratio': 0,
    },
    attributes: {
      'hop.1.segment': 'local',
      'hop.1.address': '10.20.3.1',
      'hop.2.segment': 'isp-edge',
      'unavailable.hop.2.address': 'withheld',
      'network.trace.reached': 'true',
    },
  }),
  makeWire({
    canary_type: 'endpoint.attribution',
    metrics: { confidence: 0.9, 'score.wifi': 31, 'score.local': 88, 'score.isp': 90, 'score.network': 12 },
    attributes: { 'endpoint.cause': 'wifi', 'endpoint.summary': 'Slow because of Wi-Fi: signal near -82 dBm.' },
  }),
];
