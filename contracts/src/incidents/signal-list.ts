import { z } from 'zod';
import { SIGNAL_ORDERS } from './acts.ts';
import { PLANES, SIGNAL_KINDS, Signal } from './signal.ts';

/**
 * The feed of signals. `oldest` follows it: each signal comes when it is raised and again whenever it says something new, and nothing is
 * passed over, whoever writes meanwhile. `newest` is for people.
 */
export const SignalListQuery = z.object({
  order: z.enum(SIGNAL_ORDERS).default('oldest'),
  plane: z.array(z.enum(PLANES)).max(4).optional(),
  kind: z.array(z.enum(SIGNAL_KINDS)).max(7).optional(),
  incident: z.uuid().optional(),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  limit: z.int().min(1).max(1000).default(100),
  cursor: z.string().max(64).optional(),
});
export type SignalListQuery = z.infer<typeof SignalListQuery>;

export const SignalList = z.object({
  items: z.array(Signal),
  /** With `oldest` never null: the place from which to ask again, also where nothing is left for now. */
  next_cursor: z.string().nullable(),
});
