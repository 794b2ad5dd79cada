import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { AddressJudge, Destination } from './judge-address.ts';
import { OutboundError } from './request.ts';

export interface DialledAddress {
  address: string;
  family: 4 | 6;
}

export type LookUp = (host: string) => Promise<readonly DialledAddress[]>;

/** As the operating system finds names, so that a private zone works as it does for every other program of the machine. */
export const systemLookUp: LookUp = async (host) =>
  (await lookup(host, { all: true, order: 'verbatim' })).map(({ address, family }) => ({
    address,
    family: family === 6 ? 6 : 4,
  }));

/** Without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

export function destinationOf(url: URL): Destination {
  const usual = url.protocol === 'https:' ? 443 : 80;
  return { host: hostOf(url), port: Number(url.port) || usual, usualPorts: [usual] };
}

interface Asked {
  judge: AddressJudge;
  lookUp: LookUp;
}

/**
 * The addresses of a host that may be dialled: what is dialled is one of these and no later answer of the resolver, so that a name cannot
 * lead elsewhere between the judgement and the connection. Rejects where all are refused, or the name has none.
 */
export async function findAddresses({ judge, lookUp }: Asked, to: Destination): Promise<readonly DialledAddress[]> {
  const { host } = to;
  const family = isIP(host);
  const found =
    family === 0
      ? await lookUp(host).catch((cause: unknown) => {
          if (cause instanceof OutboundError) throw cause;
          throw new OutboundError('name_not_found', `${host} was not found.`, cause);
        })
      : [{ address: host, family: family as 4 | 6 }];
  const refusals = found.map(({ address }) => judge.refuse(address, to));
  const allowed = found.filter((_, place) => refusals[place] === undefined);
  const refusal = refusals.find((one) => one !== undefined);
  if (refusal !== undefined && allowed.length === 0) throw new OutboundError('address_refused', refusal);
  if (allowed.length === 0) throw new OutboundError('name_not_found', `${host} was not found.`);
  return allowed;
}
