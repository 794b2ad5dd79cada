import koffi from 'koffi';
import { DARWIN_LIBRARIES, type DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { openLibrary } from '../ffi/library.ts';

/**
 * Two files or folders of one disk change places in one step: at no moment does either name lead nowhere, also where the power goes.
 * False where this system or this disk cannot; then nothing was changed.
 */
export type Exchange = (one: string, other: string) => boolean;

/** AT_FDCWD of fcntl.h and RENAME_EXCHANGE of linux/fs.h. */
const HERE = -100;
const RENAME_EXCHANGE = 2;
/** RENAME_SWAP of macOS' sys/stdio.h; APFS can, HFS+ cannot. */
const RENAME_SWAP = 2;

function exchangeOnLinux(one: string, other: string): boolean {
  const rename = koffi.load(null).func('int renameat2(int, str, int, str, unsigned int)');
  return rename(HERE, one, HERE, other, RENAME_EXCHANGE) === 0;
}

function exchangeOnDarwin(one: string, other: string, { system }: DarwinLibraries): boolean {
  const { bind } = openLibrary(system);
  const rename = bind<(from: string, to: string, flags: number) => number>('renamex_np', {
    returns: 'int',
    takes: ['str', 'str', 'unsigned int'],
  });
  return rename(one, other, RENAME_SWAP) === 0;
}

export function createExchange(platform: string = process.platform, libraries: DarwinLibraries = DARWIN_LIBRARIES): Exchange {
  return (one, other) => {
    try {
      if (platform === 'linux') return exchangeOnLinux(one, other);
      return platform === 'darwin' && exchangeOnDarwin(one, other, libraries);
    } catch {
      // No such call: an older system.
      return false;
    }
  };
}
