import type { Output, Trace, TraceSpan } from '../../../api-types.ts';
import { formatNs } from './trace-words.ts';

type Detail = Output<'traces.span'>;

/** A message longer than this is cut in a headline; the span has it whole. */
const MAX_SHOWN = 160;

/** The deepest of these spans; the earliest of equals. */
function deepestOf(spans: readonly TraceSpan[]): TraceSpan | undefined {
  let deepest: TraceSpan | undefined;
  for (const span of spans)
    if (!deepest || span.depth > deepest.depth || (span.depth === deepest.depth && span.start_ns < deepest.start_ns))
      deepest = span;
  return deepest;
}

/**
 * Where the error of a trace began: from a failed root down along failed children, since what failed under a span that did not was
 * survived. Where that chain ends without a word, and where no root failed, it is the failed span that is deepest.
 */
export function findFault(spans: Trace['spans']): TraceSpan | undefined {
  const failed = spans.filter(({ status }) => status === 'error');
  const chain = new Map<string, TraceSpan>();
  for (const span of failed.toSorted((a, b) => a.depth - b.depth))
    if (span.depth === 0 || chain.has(span.parent)) chain.set(span.id, span);
  const end = deepestOf([...chain.values()]);
  return end?.status_message ? end : deepestOf(failed);
}

/** Type and message of the first exception that a span recorded; '' without one. */
export function exceptionOf(events: Detail['events']): string {
  const exception = events.find(({ name }) => name === 'exception');
  const value = (key: string): string => exception?.attributes.find((attribute) => attribute.key === key)?.value ?? '';
  return [value('exception.type'), value('exception.message')].filter(Boolean).join(': ');
}

const firstLine = (text: string): string => {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN - 1)}…` : line.replace(/\.$/, '');
};

/** Status codes of gRPC by their number (grpc.io, Status codes). */
const GRPC_CODES = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS', 'PERMISSION_DENIED'],
  ...['RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE'],
  ...['DATA_LOSS', 'UNAUTHENTICATED'],
] as const;

/** The code of a failed span: "HTTP 503", "gRPC 5 (NOT_FOUND)", or the type of its error as it was sent. */
export function codeWords(code: string): string {
  if (/^\d{3}$/.test(code)) return `HTTP ${code}`;
  if (!/^\d{1,2}$/.test(code)) return code;
  const name = GRPC_CODES[Number(code)];
  return `gRPC ${code}${name ? ` (${name})` : ''}`;
}

/** "POST /buy failed after 1.84 s. payment, POST /charge: connection refused." */
export function describeFault(trace: Pick<Trace, 'root' | 'spans'>, fault: TraceSpan, exception: string): string {
  const { root } = trace;
  const rootFailed = trace.spans.some(
    ({ depth, service, name, status }) => depth === 0 && status === 'error' && service === root.service && name === root.name,
  );
  const code = codeWords(fault.code);
  const said = firstLine(fault.status_message) || firstLine(exception) || code || 'failed without a message';
  const outcome = `${root.name} ${rootFailed ? 'failed after' : 'took'} ${formatNs(root.duration_ns)}.`;
  return `${outcome} ${fault.service}, ${fault.name}: ${said}${/[.!?…]$/.test(said) ? '' : '.'}`;
}
