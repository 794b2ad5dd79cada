import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Why there is no small disk here; undefined where one can be mounted. */
export const noSmallDisk =
  process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'mounting a small disk needs Linux and root';

/** A real file system of a bounded size, in memory. */
export interface SmallDisk {
  /** Leaves no room at all. */
  fill(): void;
  makeRoom(): void;
  unmount(): void;
}

/** Moves a folder onto a disk of its own that has room for so much more than the folder holds now. */
export function moveToSmallDisk(folder: string, room: { megabytes: number }): SmallDisk {
  const before = `${folder}.before`;
  renameSync(folder, before);
  mkdirSync(folder, { mode: 0o700 });
  const usedKilobytes = Number.parseInt(execFileSync('du', ['-sk', before], { encoding: 'utf8' }), 10);
  const size = `size=${usedKilobytes + room.megabytes * 1024}k,mode=0700`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]);
  execFileSync('cp', ['-a', `${before}/.`, folder]);
  rmSync(before, { recursive: true });
  const ballast = join(folder, 'ballast');
  return {
    fill() {
      const file = openSync(ballast, 'a');
      try {
        const some = Buffer.alloc(4096);
        while (statfsSync(folder).bavail > 0) writeSync(file, some);
      } catch (error) {
        if (Reflect.get(Object(error), 'code') !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    unmount: () => execFileSync('umount', ['-l', folder]),
  };
}
