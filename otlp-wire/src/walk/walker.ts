import { copyBytes } from '@svc/bytes';
import { type Address, runAssembly } from '../assembly.ts';
import { ASSEMBLY } from './generated/assembly.ts';
import type { TimeBounds } from './out-of-time.ts';
import type { Signal } from './signal.ts';
import { EDIT_NUMBERS } from './stamp.ts';
import { faultOf } from './walk-fault.ts';

/** What otlp-wire/assembly/walk/index.ts exports. */
interface Exports {
  requestAt(): Address;
  roomForBody(bytes: number): Address;
  roomForTenant(bytes: number): Address;
  freeTenant(at: Address): void;
  walkTraces(bytes: number): void;
  walkLogs(bytes: number): void;
  walkMetrics(bytes: number): void;
}

const walker = runAssembly<Exports>(ASSEMBLY, {
  refuse(reason = 0, field = 0): never {
    throw faultOf(reason, field, words[RESOURCES] as number);
  },
});
const { code } = walker;
const walks = { traces: code.walkTraces, logs: code.walkLogs, metrics: code.walkMetrics };

/** As the fields of Request lie in otlp-wire/assembly/walk/state.ts: doubles, then words. */
const REQUEST = code.requestAt();
const [NOW, OLDEST, NEWEST, MIN, MAX, WEIGHT] = [0, 1, 2, 3, 4, 5];
const [ITEMS, REJECTED, RESOURCES, EDITS, EDITS_AT, TENANT, TENANT_BYTES] = [0, 1, 2, 3, 4, 5, 6];
const memory = walker.memory();
const doubles = new Float64Array(memory.buffer, REQUEST, 6);
const words = new Uint32Array(memory.buffer, REQUEST + doubles.byteLength, 7);

let lastTenant: Buffer | undefined;

function setTenant(tenant: Buffer): void {
  if (tenant === lastTenant) return;
  if (lastTenant) code.freeTenant(words[TENANT] as number);
  lastTenant = tenant;
  const at = code.roomForTenant(tenant.length);
  copyBytes(tenant, walker.memory(), at);
  words[TENANT] = at;
  words[TENANT_BYTES] = tenant.length;
}

export interface WalkReport {
  items: number;
  rejected: number;
  minTs: number;
  maxTs: number;
  /** As in weight.ts, or a little more. */
  weight: number;
  /** EDIT_NUMBERS for each resource that is to be stamped. */
  edits: Int32Array;
}

/** Checks the body as a whole; throws OtlpFault. */
export function walkBody(
  signal: Signal,
  body: Buffer,
  { tenant, nowMs, oldestMs, newestMs }: TimeBounds & { tenant: Buffer; nowMs: number },
): WalkReport {
  setTenant(tenant);
  doubles[NOW] = nowMs;
  doubles[OLDEST] = oldestMs;
  doubles[NEWEST] = newestMs;
  const at = code.roomForBody(body.length);
  copyBytes(body, walker.memory(), at);
  walks[signal](body.length);
  return {
    items: words[ITEMS] as number,
    rejected: words[REJECTED] as number,
    minTs: doubles[MIN] as number,
    maxTs: doubles[MAX] as number,
    weight: doubles[WEIGHT] as number,
    edits: new Int32Array(walker.memory().buffer, words[EDITS_AT], (words[EDITS] as number) * EDIT_NUMBERS),
  };
}
