import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const releasesFolder = join(import.meta.dirname, 'releases');

const numbersOf = (version) => version.split('.').map(Number);

const compareVersions = (a, b) => {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
};

/** @param {string} text */
export const hashOf = (text) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Every build that was ever released, the oldest first: releases/<version>.js, whose bytes never change. */
export const readReleases = (folder = releasesFolder) =>
  readdirSync(folder)
    .map((file) => /^(\d+\.\d+\.\d+)\.js$/.exec(file)?.[1])
    .filter((version) => version !== undefined)
    .sort(compareVersions)
    .map((version) => {
      const text = readFileSync(join(folder, `${version}.js`), 'utf8');
      const integrity = `sha384-${createHash('sha384').update(text).digest('base64')}`;
      return { version, hash: hashOf(text), integrity, text };
    });
