import { pickAdapter } from '../platform.ts';
import { CAPABILITIES, type ReportCapabilities } from './capabilities.ts';
import * as linux from './linux.ts';

const notBuilt: ReportCapabilities = async () =>
  CAPABILITIES.map((name) => ({ name, available: false, unavailable: 'not_built', detail: 'not built for this system yet' }));
const adapter = pickAdapter({
  linux,
  darwin: { reportCapabilities: notBuilt },
  win32: { reportCapabilities: notBuilt },
});

export const reportCapabilities: ReportCapabilities = adapter.reportCapabilities;
