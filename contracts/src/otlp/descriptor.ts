import { COMMON_MESSAGES } from './common.ts';
import { LOGS_ENUMS, LOGS_MESSAGES } from './logs.ts';
import { METRICS_ENUMS, METRICS_MESSAGES } from './metrics.ts';
import type { EnumTables, MessageTables } from './table-types.ts';
import { TRACES_ENUMS, TRACES_MESSAGES } from './traces.ts';

/** Every message of OTLP's three export services but the file formats TracesData, LogsData, MetricsData. */
export const OTLP_MESSAGES: MessageTables = { ...COMMON_MESSAGES, ...TRACES_MESSAGES, ...LOGS_MESSAGES, ...METRICS_MESSAGES };

export const OTLP_ENUMS: EnumTables = { ...TRACES_ENUMS, ...LOGS_ENUMS, ...METRICS_ENUMS };

export const EXPORT_REQUESTS = {
  traces: 'ExportTraceServiceRequest',
  logs: 'ExportLogsServiceRequest',
  metrics: 'ExportMetricsServiceRequest',
} as const;

/** Ids are bytes of these lengths, or none, on the wire and hexadecimal in OTLP/JSON. By the field's name. */
export const ID_BYTES: Readonly<Record<string, number>> = { trace_id: 16, span_id: 8, parent_span_id: 8 };
