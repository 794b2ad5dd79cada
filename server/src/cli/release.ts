import { AppError } from '#kernel';
import { type Command, type CommandInput, textOption } from './command.ts';
import { readExpiry } from './token.ts';

const RINGS = ['canary', 'early', 'main'] as const;
type Ring = (typeof RINGS)[number];

interface FolderRelease {
  folder: string;
  ring: Ring;
  version?: string;
  rollback: boolean;
  minProtocol?: number;
  expiresAt?: Date;
}

interface AcceptedFeed {
  feed: string;
  version: string;
  ring: string;
  expiresAt?: string | undefined;
  files: readonly unknown[];
}

interface RingRelease {
  ring: string;
  feed: string;
  version: string;
  signedAtMs: number;
  expiresAtMs: number | undefined;
  rollback: boolean;
  files: number;
  bytes: number;
}

interface ReleaseDesk {
  publish(release: FolderRelease, pem: string | undefined): Promise<readonly AcceptedFeed[]>;
  renew(input: { ring?: Ring; expiresAt?: Date }, pem: string): Promise<readonly AcceptedFeed[]>;
  promote(
    input: { version: string; ring: Ring; rollback: boolean; expiresAt?: Date },
    pem: string,
  ): Promise<readonly AcceptedFeed[]>;
  list(): Promise<readonly RingRelease[]>;
}

export interface ReleaseCommandDeps {
  /** Opens what the releases slice needs, beside a running server or alone, and closes it after `work`. */
  withReleases: <T>(work: (releases: ReleaseDesk) => Promise<T>) => Promise<T>;
  /** Describes and signs a folder and writes the feeds into it, without any store; gives their names. */
  signFolder: (release: FolderRelease, pem: string) => Promise<readonly string[]>;
  /** The private key in a file; AppError `bad_request` when it cannot be read. */
  readKey: (path: string) => Promise<string>;
  /** Makes a key pair; the private half goes into a new file of mode 0600. AppError `conflict` when the file is there. */
  makeKey: (path: string) => Promise<{ publicKey: string; keyId: string }>;
  now: () => number;
}

const readLife = (input: CommandInput, nowMs: number): { expiresAt?: Date } => {
  const text = textOption(input, 'expires');
  return text === undefined ? {} : { expiresAt: readExpiry(text, nowMs) };
};

function readRing(input: CommandInput, option: string): Ring {
  const text = textOption(input, option);
  const ring = RINGS.find((one) => one === text);
  if (!ring) throw new AppError('bad_request', `"${text}" is not a ring: ${RINGS.join(', ')}.`);
  return ring;
}

function readFolderRelease(input: CommandInput, nowMs: number): FolderRelease {
  const version = textOption(input, 'version');
  const protocol = textOption(input, 'min-protocol');
  if (protocol !== undefined && !/^\d{1,6}$/.test(protocol))
    throw new AppError('bad_request', `"${protocol}" is not a protocol version.`);
  return {
    folder: textOption(input, 'dir') ?? '',
    ring: readRing(input, 'ring'),
    rollback: input.options.rollback === true,
    ...(version === undefined ? {} : { version }),
    ...(protocol === undefined ? {} : { minProtocol: Number(protocol) }),
    ...readLife(input, nowMs),
  };
}

const EXPIRES = {
  type: 'string',
  value: 'TIME',
  help: 'when devices stop accepting it: 30d or 2027-01-31T00:00:00Z; default 90d, at most 400d',
} as const;

const FOLDER_OPTIONS = {
  expires: EXPIRES,
  ring: { type: 'string', value: 'RING', required: true, help: `which devices get it: ${RINGS.join(', ')}` },
  dir: {
    type: 'string',
    value: 'DIR',
    required: true,
    help: 'folder with the packages (exe, msi, zip, dmg, pkg, AppImage, deb, rpm)',
  },
  version: { type: 'string', value: 'X.Y.Z', help: 'default: as the folder’s own latest*.yml says' },
  rollback: { type: 'boolean', help: 'this is a rollback: devices install it in place of a later version' },
  'min-protocol': {
    type: 'string',
    value: 'N',
    help: 'lowest protocol of the control plane that it works with; default: that of this build',
  },
} as const;

function describeLife(expiresAtMs: number | undefined, nowMs: number): string {
  if (expiresAtMs === undefined) return 'no expiry: devices refuse it, run svc release renew';
  const at = new Date(expiresAtMs).toISOString();
  return expiresAtMs <= nowMs ? `EXPIRED ${at}: devices refuse it, run svc release renew` : `expires ${at}`;
}

const describe = ({ ring, feed, version, files }: AcceptedFeed): string =>
  `${ring}  ${feed}  ${version}  ${files.length} ${files.length === 1 ? 'file' : 'files'}`;

/** The verbs about what is in force. */
function createStandingCommands({
  withReleases,
  readKey,
  now,
}: Pick<ReleaseCommandDeps, 'withReleases' | 'readKey' | 'now'>): Command[] {
  return [
    {
      name: 'release renew',
      summary: 'Signs the feeds of the rings again, before they expire.',
      options: {
        ring: { type: 'string', value: 'RING', help: 'default all' },
        key: { type: 'string', value: 'FILE', required: true, help: 'the private key' },
        expires: EXPIRES,
      },
      async run(input) {
        const ring = textOption(input, 'ring') === undefined ? {} : { ring: readRing(input, 'ring') };
        const pem = await readKey(textOption(input, 'key') ?? '');
        const wanted = { ...ring, ...readLife(input, now()) };
        for (const feed of await withReleases((desk) => desk.renew(wanted, pem))) input.print(describe(feed));
      },
    },
    {
      name: 'release list',
      summary: 'Lists the version of each ring.',
      async run(input) {
        const releases = await withReleases((desk) => desk.list());
        if (releases.length === 0) input.print('No ring has a release yet.');
        for (const { ring, feed, version, signedAtMs, expiresAtMs, rollback, files, bytes } of releases) {
          const size = `${files} ${files === 1 ? 'file' : 'files'}, ${bytes} bytes`;
          const signed = `signed ${new Date(signedAtMs).toISOString()}, ${describeLife(expiresAtMs, now())}`;
          input.print(`${ring}  ${feed}  ${version}  ${signed}  ${size}${rollback ? '  rollback' : ''}`);
        }
      },
    },
  ];
}

/** `svc release keygen|sign|publish|promote|renew|list` */
export function createReleaseCommands({ withReleases, signFolder, readKey, makeKey, now }: ReleaseCommandDeps): Command[] {
  return [
    {
      name: 'release keygen',
      summary: 'Creates the key that signs releases of the agent.',
      details:
        'Keep the file where releases are made, not on the server. The public half goes into SVC_RELEASE_PUBLIC_KEY and into the agent.',
      options: { out: { type: 'string', value: 'FILE', required: true, help: 'new file for the private key, mode 0600' } },
      async run(input) {
        const { publicKey, keyId } = await makeKey(textOption(input, 'out') ?? '');
        input.print(`Key id      ${keyId}`);
        input.print(`Public key  ${publicKey}`);
      },
    },
    {
      name: 'release sign',
      summary: 'Signs the packages in a folder for a ring, away from the server.',
      details: 'Writes latest*.yml and latest*.yml.sig into the folder; svc release publish without --key takes them from there.',
      options: { ...FOLDER_OPTIONS, key: { type: 'string', value: 'FILE', required: true, help: 'the private key' } },
      async run(input) {
        const pem = await readKey(textOption(input, 'key') ?? '');
        for (const name of await signFolder(readFolderRelease(input, now()), pem)) input.print(`signed ${name}`);
      },
    },
    {
      name: 'release publish',
      summary: 'Publishes a folder of packages to the devices of a ring.',
      details:
        'A version begins in canary; without --rollback a ring never goes back. The signature is checked before anything is taken.',
      options: {
        ...FOLDER_OPTIONS,
        key: { type: 'string', value: 'FILE', help: 'the private key; default: the folder was signed by svc release sign' },
      },
      async run(input) {
        const path = textOption(input, 'key');
        const pem = path === undefined ? undefined : await readKey(path);
        const release = readFolderRelease(input, now());
        for (const feed of await withReleases((desk) => desk.publish(release, pem))) input.print(describe(feed));
      },
    },
    {
      name: 'release promote',
      summary: 'Promotes a version from one ring to the next.',
      details: 'With --rollback it moves a ring back to a version that was published before.',
      positionals: [{ name: 'VERSION', help: 'for example 1.2.0' }],
      options: {
        to: { type: 'string', value: 'RING', required: true, help: 'early or main; with --rollback also canary' },
        key: { type: 'string', value: 'FILE', required: true, help: 'the private key: each ring has a signature of its own' },
        rollback: { type: 'boolean', help: 'this is a rollback' },
        expires: EXPIRES,
      },
      async run(input) {
        const wanted = {
          ...readLife(input, now()),
          version: input.positionals[0] ?? '',
          ring: readRing(input, 'to'),
          rollback: input.options.rollback === true,
        };
        const pem = await readKey(textOption(input, 'key') ?? '');
        for (const feed of await withReleases((desk) => desk.promote(wanted, pem))) input.print(describe(feed));
      },
    },
    ...createStandingCommands({ withReleases, readKey, now }),
  ];
}
