import type { CanonicalResult } from '../results/canonical-result.ts';
import type { Assertion, CertificateFacts, Phase, RunFault, RunReport } from './run-report.ts';
import { splitHostPort } from './target.ts';
import type { TestType } from './test-types.ts';

/** Key of each phase in `metrics` (docs/contract/tests.md). */
export const PHASE_KEYS: Readonly<Record<Phase, string>> = {
  dns: 'dns.ms',
  connect: 'connect.ms',
  tls: 'tls.ms',
  first_byte: 'ttfb.ms',
  transfer: 'transfer.ms',
};
export const TOTAL_KEY = 'total.ms';

/** Attributes of a run; an assertion is `assertion.<n>`, JSON of `Assertion`. */
export const RUN_ATTRIBUTES = {
  version: 'svc.test.version',
  plannedAt: 'svc.test.planned_at',
  onDemand: 'svc.test.on_demand',
  target: 'svc.test.target',
  fault: 'error.type',
  address: 'network.peer.address',
  certificate: 'tls.server.certificate',
} as const;

/** Bound of an attribute's value; what is longer is cut here, where the run is told, and never refused by the server. */
const VALUE = 1024;
const cut = (text: string, length: number): string => (text.length <= length ? text : `${text.slice(0, length - 1)}…`);

function serverOf({ type, target, port }: RunReport): { server_address?: string; server_port?: number } {
  if (type === 'http' || type === 'https' || type === 'browser') {
    const url = URL.parse(target);
    if (!url) return {};
    const usual = url.protocol === 'http:' ? 80 : 443;
    return { server_address: cut(url.hostname, 256), server_port: url.port ? Number(url.port) : usual };
  }
  const parts = splitHostPort(target);
  const known = parts?.port ?? port;
  return { server_address: cut(parts?.host ?? target, 256), ...(known === undefined ? {} : { server_port: known }) };
}

const assertionText = ({ rule, wanted, got, passed }: Assertion): string =>
  cut(JSON.stringify({ rule, wanted: cut(wanted, 300), got: cut(got, 300), passed }), VALUE);

/** What is told of a certificate in the result itself; the names that do not fit are left out. */
function certificateText(facts: CertificateFacts): string {
  for (let names = facts.names; ; names = names.slice(0, Math.floor(names.length / 2))) {
    const text = JSON.stringify({ ...facts, names, subject: cut(facts.subject, 128), issuer: cut(facts.issuer, 128) });
    if (text.length <= VALUE || names.length === 0) return cut(text, VALUE);
  }
}

/** A run as it travels on the bus; its evidence goes beside it. `tenant` is the verified credential's. */
export function toCanonicalResult(report: RunReport, tenant: string): CanonicalResult {
  const metrics: Record<string, number> = { ...report.figures, [TOTAL_KEY]: report.total_ms };
  for (const [phase, ms] of Object.entries(report.phases) as [Phase, number][]) metrics[PHASE_KEYS[phase]] = ms;
  const attributes: Record<string, string> = {
    [RUN_ATTRIBUTES.version]: String(report.test_version),
    [RUN_ATTRIBUTES.plannedAt]: report.planned_at,
    [RUN_ATTRIBUTES.target]: cut(report.target, VALUE),
  };
  if (report.on_demand) attributes[RUN_ATTRIBUTES.onDemand] = 'true';
  if (report.fault) attributes[RUN_ATTRIBUTES.fault] = report.fault;
  if (report.address) attributes[RUN_ATTRIBUTES.address] = report.address;
  if (report.certificate) attributes[RUN_ATTRIBUTES.certificate] = certificateText(report.certificate);
  for (const [i, assertion] of report.assertions.entries()) attributes[`assertion.${i}`] = assertionText(assertion);
  return {
    result_id: report.result_id,
    tenant_id: tenant,
    agent_id: report.runner_id,
    canary_type: report.type,
    test_id: report.test_id,
    ...serverOf(report),
    success: report.success,
    ...(report.error === undefined ? {} : { error: report.error }),
    started_at: report.started_at,
    duration_ms: report.total_ms,
    present: true,
    metrics,
    attributes,
  };
}

export interface CanonicalRun {
  version: number;
  plannedAt: string | undefined;
  onDemand: boolean;
  target: string;
  fault: RunFault | undefined;
  address: string | undefined;
  certificate: CertificateFacts | undefined;
  assertions: Assertion[];
  phases: Partial<Record<Phase, number>>;
  type: TestType;
}

function parsed<Value>(text: string | undefined): Value | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Value;
  } catch {
    // Cut where it did not fit: not known rather than half known.
    return undefined;
  }
}

/** The same back; anything a runner wrote that cannot be read is left out. */
export function readCanonicalRun({ attributes, metrics, canary_type }: CanonicalResult): CanonicalRun {
  const assertions: Assertion[] = [];
  for (let i = 0; i < 60; i++) {
    const assertion = parsed<Assertion>(attributes[`assertion.${i}`]);
    if (assertion) assertions.push(assertion);
  }
  const phases: Partial<Record<Phase, number>> = {};
  for (const [phase, key] of Object.entries(PHASE_KEYS) as [Phase, string][]) {
    const ms = metrics[key];
    if (ms !== undefined) phases[phase] = ms;
  }
  return {
    version: Number(attributes[RUN_ATTRIBUTES.version] ?? 0),
    plannedAt: attributes[RUN_ATTRIBUTES.plannedAt],
    onDemand: attributes[RUN_ATTRIBUTES.onDemand] === 'true',
    target: attributes[RUN_ATTRIBUTES.target] ?? '',
    fault: attributes[RUN_ATTRIBUTES.fault] as RunFault | undefined,
    address: attributes[RUN_ATTRIBUTES.address],
    certificate: parsed<CertificateFacts>(attributes[RUN_ATTRIBUTES.certificate]),
    assertions,
    phases,
    type: canary_type as TestType,
  };
}
