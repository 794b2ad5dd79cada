import { z } from 'zod';
import { shapeTrace } from '../domain/shape-answers.ts';
import { paged, type Tool, window } from './tool.ts';

const traceId = z
  .string()
  .regex(/^[0-9a-f]{32}$/i, 'A trace id has 32 hex digits.')
  .describe('The `trace_id` of a trace');

export const traceTools: readonly Tool[] = [
  {
    name: 'list_traces',
    title: 'Traces',
    description:
      'Traces with a span that matches, of the last hour unless a time is given. Filter by `status: ["error"]` for failures, by `min_ms` for slow ones.',
    procedure: 'traces.list',
    input: z.strictObject({
      service: z.array(z.string().min(1).max(256)).max(50).optional(),
      operation: z.array(z.string().min(1).max(1024)).max(50).optional(),
      status: z
        .array(z.enum(['unset', 'ok', 'error']))
        .max(3)
        .optional(),
      min_ms: z.number().min(0).max(86_400_000).optional(),
      max_ms: z.number().min(0).max(86_400_000).optional(),
      attribute: z
        .array(z.string().min(1).max(1024))
        .max(10)
        .optional()
        .describe('All must hold: `key=value`, `key!=value`, `key~part`, `key>5`, `key` (has it), `!key` (has it not)'),
      ...window,
      sort: z.enum(['time', 'duration']).default('time'),
      ...paged,
    }),
  },
  {
    name: 'get_trace',
    title: 'One trace',
    description:
      'One trace: its services, own times and spans. Of a long one the spans that failed and those that worked longest themselves; `spans_left_out` says how many are missing.',
    procedure: 'traces.get',
    input: z.strictObject({ id: traceId }),
    shape: shapeTrace,
  },
  {
    name: 'get_span',
    title: 'One span',
    description: 'One span of a trace with its attributes, resource, events and links.',
    procedure: 'traces.span',
    input: z.strictObject({
      id: traceId,
      span: z
        .string()
        .regex(/^[0-9a-f]{16}$/i, 'A span id has 16 hex digits.')
        .describe('The `id` of a span of that trace'),
    }),
  },
];
