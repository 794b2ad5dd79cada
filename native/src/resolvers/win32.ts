import { unavailable } from '../reading.ts';
import type { ReadResolvers } from './resolvers.ts';

/** The list of resolvers is not read on this system yet. */
export const readResolvers: ReadResolvers = async () => unavailable('not_built');
