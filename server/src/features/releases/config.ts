import { readReleaseKey } from '@svc/contracts/releases/release-signature';
import { configKey, parseInteger, parseList } from '#kernel';

function parseReleaseKey(text: string): string {
  try {
    readReleaseKey(text);
  } catch {
    throw new Error('must be public keys as `svc release keygen` prints them, comma-separated');
  }
  return text;
}

/** Keys of the releases slice. */
export const releaseKeys = {
  publicKeys: configKey({
    key: 'SVC_RELEASE_PUBLIC_KEY',
    parse: parseList(parseReleaseKey, 4),
    fallback: [],
    doc: 'Public keys of agent releases as `svc release keygen` prints them, comma-separated, at most 4: what none of them signed is refused.',
  }),
  ratePerMin: configKey({
    key: 'SVC_RELEASE_RATE_PER_MIN',
    parse: parseInteger(0, 1_000_000),
    fallback: 1200,
    defaultText: '1200',
    doc: 'Requests per minute for agent releases from one address, where a whole office may stand behind one; 0 disables the bound.',
  }),
};
