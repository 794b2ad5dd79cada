import { z } from 'zod';
import { PLANES, SEVERITIES } from '../incidents/kinds.ts';

/** Which incidents go where: `notify.rules.*` and `/v1/notify/rules`. */

export const MAX_RULES = 100;

const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time such as 22:30');
/** Of the IANA list, such as Europe/Berlin. */
const TimeZone = z.string().min(1).max(64);
/** Any text where one of them is a `*`. */
const Globs = z.array(z.string().trim().min(1).max(253)).max(50);

export const RuleBody = z.object({
  /** That, and what is graver. */
  severity: z.enum(SEVERITIES),
  /** That, and what is less grave; `critical` is no bound. */
  severity_most: z.enum(SEVERITIES).default('critical'),
  /** Each empty: any. */
  planes: z.array(z.enum(PLANES)).max(PLANES.length),
  targets: Globs,
  sites: Globs,
  /** Only then; null: always. Days by number, 0 is Sunday; one that passes midnight belongs to the day on which it begins. */
  schedule: z
    .object({ time_zone: TimeZone, days: z.array(z.int().min(0).max(6)).min(1).max(7), from: Clock, to: Clock })
    .nullable(),
  /** What recovers within it, or is acknowledged, is not told. */
  delay_seconds: z.int().min(0).max(86_400),
  /** What is not critical waits until they end. */
  quiet: z.object({ time_zone: TimeZone, from: Clock, to: Clock }).nullable(),
  /** Ids; empty: all of the tenant. */
  connectors: z.array(z.string().min(1).max(64)).max(100),
});
export type RuleBody = z.infer<typeof RuleBody>;

const Name = z.string().trim().min(1).max(200);

export const OfRule = z.object({ id: z.uuid() });
export const CreateRule = RuleBody.extend({ name: Name, enabled: z.boolean().default(true) });
export const ChangeRule = CreateRule.extend({ id: z.uuid() });

export const Rule = RuleBody.extend({
  id: z.uuid(),
  name: z.string(),
  enabled: z.boolean(),
  created_at: z.iso.datetime(),
  created_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  changed_at: z.iso.datetime(),
});
export type Rule = z.infer<typeof Rule>;
export const RuleList = z.object({ items: z.array(Rule) });

/** Which of the last 100 incidents a rule would have sent, by how they are now and when they began. */
export const RulePreview = z.object({
  looked_at: z.int(),
  matched: z.int(),
  incidents: z.array(
    z.object({
      id: z.uuid(),
      number: z.int(),
      title: z.string(),
      severity: z.enum(SEVERITIES),
      opened_at: z.iso.datetime(),
      matches: z.boolean(),
      /** When it would have been sent; null: it would not. */
      told_at: z.iso.datetime().nullable(),
      /** It recovered before that, and so would not have been told. */
      recovered_before: z.boolean(),
      /** Somebody acknowledged it before that, within a delay or quiet hours, and so would not have been told. */
      acknowledged_before: z.boolean(),
    }),
  ),
});
export type RulePreview = z.infer<typeof RulePreview>;
