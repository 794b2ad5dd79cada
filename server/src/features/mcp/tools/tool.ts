import { z } from 'zod';

/** One question that an assistant may ask: a procedure of the API that reads, in words that a model understands. */
export interface Tool {
  /** verb_noun, as assistants show it. */
  name: string;
  title: string;
  /** What it answers, and when to ask it. */
  description: string;
  /** A query; its permission is the tool's. */
  procedure: string;
  input: z.ZodObject;
  /** The procedure's input, where it is not the tool's own. */
  toInput?: (input: ToolInput) => ToolInput;
  /** The answer without what only charts need. */
  shape?: (answer: unknown, input: ToolInput) => unknown;
}

export type ToolInput = Readonly<Record<string, unknown>>;

const MAX_ITEMS = 50;
const DEFAULT_ITEMS = 20;

const instant = z.iso.datetime({ offset: true });

/** A window of time. */
export const window = {
  from: instant.optional().describe('Beginning of the time looked at, RFC 3339, for example 2026-03-01T14:00:00Z'),
  to: instant.optional().describe('End of the time looked at, RFC 3339'),
};

/** Of a list. */
export const paged = {
  limit: z
    .int()
    .min(1)
    .max(MAX_ITEMS)
    .default(DEFAULT_ITEMS)
    .describe('Items of one answer; large ones may come fewer at a time'),
  cursor: z.string().max(2048).optional().describe('next_cursor of the answer before, to read on'),
};

export const id = (of: string) => z.uuid().describe(`The \`id\` of ${of}`);
