import { z } from 'zod';
import { OfIncident } from './acts.ts';

/** How many devices were slow at the places of an incident's shared causes, over time. */
export const IncidentDevicesQuery = OfIncident.extend({
  from: z.iso.datetime({ offset: true }),
  to: z.iso.datetime({ offset: true }),
  steps: z.int().min(1).max(200).default(60),
});
export type IncidentDevicesQuery = z.infer<typeof IncidentDevicesQuery>;

export const IncidentDevices = z.object({
  from: z.iso.datetime(),
  step_seconds: z.number(),
  places: z.array(
    z.object({
      site: z.string(),
      gateway: z.string().nullable(),
      cause: z.string(),
      /** Devices that are there now. */
      devices: z.int(),
      /** One a step, the oldest first: how many said this cause, of those that said anything. */
      steps: z.array(z.object({ slow: z.int(), measured: z.int() })),
    }),
  ),
});
export type IncidentDevices = z.infer<typeof IncidentDevices>;
