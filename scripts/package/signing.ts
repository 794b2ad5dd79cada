import { readReleaseKey } from '@svc/contracts/releases/release-signature';
import type { Target } from './targets.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What makes a build a release: it is signed or it is refused. */
export const isReleaseBuild = (env: Environment): boolean => env.SVC_RELEASE_BUILD === '1';

/** Sets of variables of which one must be whole, with what they are for. */
interface Need {
  what: string;
  oneOf: readonly (readonly string[])[];
}

const FEED: Need = {
  what: 'the key that its updates are checked with ("svc release keygen" makes one)',
  oneOf: [['SVC_RELEASE_PUBLIC_KEY']],
};
const NEEDS: Readonly<Record<Target['platform'], readonly Need[]>> = {
  linux: [FEED],
  darwin: [
    FEED,
    { what: 'a Developer ID Application certificate', oneOf: [['CSC_LINK', 'CSC_KEY_PASSWORD'], ['CSC_NAME']] },
    {
      what: 'a Developer ID Installer certificate for the pkg',
      oneOf: [['CSC_INSTALLER_LINK', 'CSC_INSTALLER_KEY_PASSWORD'], ['CSC_NAME']],
    },
    {
      what: 'an account for notarisation',
      oneOf: [
        ['APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER'],
        ['APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID'],
        ['APPLE_KEYCHAIN', 'APPLE_KEYCHAIN_PROFILE'],
      ],
    },
  ],
  win32: [
    FEED,
    {
      what: 'an Authenticode certificate',
      oneOf: [
        ['WIN_CSC_LINK', 'WIN_CSC_KEY_PASSWORD'],
        ['CSC_LINK', 'CSC_KEY_PASSWORD'],
      ],
    },
  ],
};
/** Packages without a window. Those of Linux are signed by nfpm itself: nothing else checks an rpm that is not from a signed repository. */
const HEADLESS: Readonly<Record<Target['platform'], Need>> = {
  linux: {
    what: 'an OpenPGP key for deb and rpm (its file; its passphrase in NFPM_PASSPHRASE)',
    oneOf: [['SVC_LINUX_SIGNING_KEY_FILE']],
  },
  darwin: { what: 'the name of a Developer ID Installer certificate for the pkg', oneOf: [['CSC_NAME']] },
  win32: {
    what: 'an Authenticode certificate for the msi (the path of its PKCS #12 file)',
    oneOf: [['WIN_CSC_LINK', 'WIN_CSC_KEY_PASSWORD']],
  },
};

const isSet = (env: Environment, name: string): boolean => (env[name] ?? '').trim() !== '';

export function readPinnedKeys(env: Environment): string[] {
  const keys = (env.SVC_RELEASE_PUBLIC_KEY ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
  for (const key of keys) readReleaseKey(key);
  return keys;
}

/**
 * What a release build lacks to be signed, each in a sentence that says what to do; empty for a build that is no release, which pins no
 * key and so never replaces itself.
 */
export function findMissingSigning(target: { platform: Target['platform']; headless: boolean }, env: Environment): string[] {
  if (!isReleaseBuild(env)) return [];
  const needs = target.headless ? [HEADLESS[target.platform]] : NEEDS[target.platform];
  const missing = needs
    .filter(({ oneOf }) => !oneOf.some((names) => names.every((name) => isSet(env, name))))
    .map(({ what, oneOf }) => `A release needs ${what}: set ${oneOf.map((names) => names.join(' and ')).join(', or ')}.`);
  try {
    readPinnedKeys(env);
  } catch {
    missing.push('SVC_RELEASE_PUBLIC_KEY holds something that is no P-256 public key of "svc release keygen".');
  }
  return missing;
}
