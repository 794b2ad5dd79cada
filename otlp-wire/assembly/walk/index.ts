import {
  walkExportLogsServiceRequest,
  walkExportMetricsServiceRequest,
  walkExportTraceServiceRequest,
} from './generated/messages';
import { begin, noteWeight } from './state';
import { beginWeight, weightOf } from './weight';

export { requestAt } from './state';

/** What is read beyond the end of a body. */
const SLACK: u32 = 16;

let body: usize = 0;
let capacity: u32 = 0;

/** Where a body of so many bytes is to be put. */
export function roomForBody(size: u32): usize {
  if (body === 0 || size > capacity) {
    if (body !== 0) heap.free(body);
    capacity = max(size, 65_536);
    body = heap.alloc(capacity + SLACK);
  }
  return body;
}

/** Where a tenant of so many bytes is to be put; it stays. */
export function roomForTenant(size: u32): usize {
  return heap.alloc(size);
}

export function freeTenant(at: usize): void {
  heap.free(at);
}

export function walkTraces(size: u32): void {
  begin(body);
  beginWeight(false);
  walkExportTraceServiceRequest(body, body + size, 1);
  noteWeight(weightOf(size));
}

export function walkLogs(size: u32): void {
  begin(body);
  beginWeight(false);
  walkExportLogsServiceRequest(body, body + size, 1);
  noteWeight(weightOf(size));
}

export function walkMetrics(size: u32): void {
  begin(body);
  beginWeight(true);
  walkExportMetricsServiceRequest(body, body + size, 1);
  noteWeight(weightOf(size));
}
