import { unavailable } from '../reading.ts';
import type { CreateContextReader } from './context.ts';

const notBuilt = unavailable('not_built');

/** Not built yet: every field says so. */
export const createContextReader: CreateContextReader = () => ({
  read: async () => ({
    onBattery: notBuilt,
    metered: notBuilt,
    vpn: notBuilt,
    roams: notBuilt,
    cellular: { rsrpDbm: notBuilt, rsrqDb: notBuilt, sinrDb: notBuilt },
  }),
});
