import { unavailable } from '../reading.ts';
import type { PingGateway, TracePath } from './path.ts';

/** Probing is not built for this system yet. */
export const tracePath: TracePath = async () => unavailable('not_built');
export const pingGateway: PingGateway = async () => unavailable('not_built');
