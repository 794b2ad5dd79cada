import { readFile } from 'node:fs/promises';
import { measured, unavailable } from '../reading.ts';
import { isLocalStub, parseResolvConf } from './resolv-conf.ts';
import type { ReadResolvers } from './resolvers.ts';

const CONFIGURED = '/etc/resolv.conf';
/** Where systemd-resolved and NetworkManager keep the servers behind their stub. */
const BEHIND_STUB = ['/run/systemd/resolve/resolv.conf', '/run/NetworkManager/no-stub-resolv.conf'] as const;

const readServers = async (file: string): Promise<string[]> => parseResolvConf(await readFile(file, 'utf8').catch(() => ''));

export const readResolvers: ReadResolvers = async () => {
  const configured = await readServers(CONFIGURED);
  if (configured.length > 0 && configured.every(isLocalStub)) {
    for (const file of BEHIND_STUB) {
      const servers = (await readServers(file)).filter((server) => !isLocalStub(server));
      if (servers.length > 0) return measured({ servers, source: file });
    }
  }
  return configured.length > 0 ? measured({ servers: configured, source: CONFIGURED }) : unavailable('no_target');
};
