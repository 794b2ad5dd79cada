import { z } from 'zod';
import { SECRET_LENGTH, SECRET_NAME } from './params/shared.ts';
import { TestName } from './test.ts';

/** What belongs to tests without being one: secrets, maintenance windows, thresholds (`tests.secrets.*`, `tests.maintenance.*`, `tests.settings.*`). */

/** Who did it, as people read it; without a name where none is left. */
export const NamedActor = z.object({ id: z.string(), name: z.string().nullable() });
export type NamedActor = z.infer<typeof NamedActor>;

/** A host, or a host with the port it may be sent to. */
const SecretHost = z.string().min(1).max(260);

export const SetSecret = z.object({
  name: z.string().regex(SECRET_NAME),
  /** Where it may be sent; to no other host, whoever writes the test. */
  hosts: z.array(SecretHost).min(1).max(20),
  /** Absent: the value stays, only its hosts change; they then may only become fewer. */
  value: z.string().min(1).max(SECRET_LENGTH).optional(),
});

/** Never with its value. */
export const TestSecret = z.object({
  name: z.string(),
  hosts: z.array(z.string()),
  updated_at: z.iso.datetime(),
  updated_by: NamedActor,
  /** Tests that refer to it. */
  tests: z.array(z.object({ id: z.uuid(), name: z.string() })),
});
export type TestSecret = z.infer<typeof TestSecret>;

export const MaintenanceScope = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('test'), test_id: z.uuid() }),
  /** A host or URL in any spelling. */
  z.strictObject({ kind: z.literal('target'), target: z.string().min(1).max(2048) }),
  z.strictObject({ kind: z.literal('site'), site: z.string().min(1).max(128) }),
]);
export type MaintenanceScope = z.infer<typeof MaintenanceScope>;

const LocalTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'A time such as 22:30.');

/** Times are those of the zone's clocks. */
export const MaintenanceTimes = z.discriminatedUnion('repeat', [
  z.strictObject({ repeat: z.literal('once'), from: z.iso.datetime(), to: z.iso.datetime() }),
  z.strictObject({
    repeat: z.literal('weekly'),
    /** 1 is Monday, 7 Sunday: the day it begins on. */
    weekdays: z.array(z.int().min(1).max(7)).min(1).max(7),
    from: LocalTime,
    duration_minutes: z.int().min(1).max(10_080),
  }),
]);
export type MaintenanceTimes = z.infer<typeof MaintenanceTimes>;

export const MaintenanceSpec = z.object({
  name: TestName,
  scope: MaintenanceScope,
  times: MaintenanceTimes,
  /** IANA name, such as Europe/Lisbon. */
  zone: z.string().min(1).max(64),
});
export type MaintenanceSpec = z.infer<typeof MaintenanceSpec>;

export const MaintenanceWindow = MaintenanceSpec.extend({
  id: z.uuid(),
  created_by: NamedActor,
  created_at: z.iso.datetime(),
  /** Measuring goes on, signals are held back. */
  active: z.boolean(),
  /** The present one where it is active, else the next; null: it is over. */
  next: z.object({ from: z.iso.datetime(), to: z.iso.datetime() }).nullable(),
});
export type MaintenanceWindow = z.infer<typeof MaintenanceWindow>;

export const TestSettings = z.object({
  /** Failing runs in a row before a test fails, unless the test names its own. */
  failing_after: z.int().min(1).max(20),
  /** Days before its end at which a certificate raises a warning, and at which it is critical. */
  certificate_warning_days: z.int().min(1).max(365),
  certificate_critical_days: z.int().min(0).max(365),
  /** Missed intervals, and minutes at least, before a test counts as not running. */
  not_running_intervals: z.int().min(1).max(100),
  not_running_minutes: z.int().min(1).max(1440),
});
export type TestSettings = z.infer<typeof TestSettings>;
