import { unavailable } from '../reading.ts';
import type { FindRoute } from './gateway.ts';

/** The route look-up by sysctl is not built yet. */
export const findRoute: FindRoute = async () => unavailable('not_built');
