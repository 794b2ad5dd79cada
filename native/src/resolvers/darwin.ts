import { readFile } from 'node:fs/promises';
import { measured, unavailable } from '../reading.ts';
import { isLocalStub, parseResolvConf } from './resolv-conf.ts';
import type { ReadResolvers } from './resolvers.ts';

/** Kept by configd: the servers of the primary network service. Those that a VPN adds for its own domains are not in it. */
const CONFIGURED = '/etc/resolv.conf';

export const readResolvers: ReadResolvers = async () => {
  const configured = parseResolvConf(await readFile(CONFIGURED, 'utf8').catch(() => ''));
  const remote = configured.filter((server) => !isLocalStub(server));
  const servers = remote.length > 0 ? remote : configured;
  return servers.length > 0 ? measured({ servers, source: CONFIGURED }) : unavailable('no_target');
};
