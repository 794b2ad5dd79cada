import { changeTools } from './changes.ts';
import { deviceTools } from './devices.ts';
import { incidentTools } from './incidents.ts';
import { metricTools } from './metrics.ts';
import { testTools } from './tests.ts';
import type { Tool } from './tool.ts';
import { traceTools } from './traces.ts';

export type { Tool, ToolInput } from './tool.ts';

/** What an assistant may ask, in the order in which it is shown. */
export const TOOLS: readonly Tool[] = [
  ...incidentTools,
  ...changeTools,
  ...testTools,
  ...deviceTools,
  ...metricTools,
  ...traceTools,
];
