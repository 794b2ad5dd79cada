import { pickAdapter } from '../platform.ts';
import type { ReportCapabilities } from './capabilities.ts';
import * as darwin from './darwin.ts';
import * as linux from './linux.ts';
import * as win32 from './win32.ts';

const adapter = pickAdapter<{ reportCapabilities: ReportCapabilities }>({ linux, darwin, win32 });

export const reportCapabilities: ReportCapabilities = adapter.reportCapabilities;
