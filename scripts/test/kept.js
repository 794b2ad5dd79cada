// The kept table: how long the files of each step take, and which tests were unstable. A run compares with it and changes it only when told to.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const MOST_SHOWN = 15;
/** Files that take less are not kept. */
const LEAST_KEPT_SECONDS = 1;
/** A file this many times as slow as kept, and this many seconds, is slower and not merely beside something else. */
const SLOWER_TIMES = 1.5;
const SLOWER_SECONDS = 3;

const EMPTY = { steps: {}, unstable: [] };

export const readKept = (path) => (existsSync(path) ? { ...EMPTY, ...JSON.parse(readFileSync(path, 'utf8')) } : EMPTY);
export const writeKept = (path, kept) => writeFileSync(path, `${JSON.stringify(kept, undefined, 2)}\n`);

const bySeconds = (a, b) => b.seconds - a.seconds;
const round = (seconds) => Math.round(seconds * 10) / 10;

/** Lines about one step's files, the slowest first. */
export function describeDurations(title, files, kept = { files: {} }) {
  const slowest = files.filter(({ seconds }) => seconds >= LEAST_KEPT_SECONDS).toSorted(bySeconds);
  const slower = slowest.filter(({ file, seconds }) => {
    const before = kept.files[file];
    return before !== undefined && seconds > before * SLOWER_TIMES && seconds > before + SLOWER_SECONDS;
  });
  return [
    ...(slowest.length > 0 ? [`Slowest of ${title} (${files.length} files):`] : []),
    ...slowest.slice(0, MOST_SHOWN).map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`),
    ...slower
      .slice(0, MOST_SHOWN)
      .map(
        ({ file, seconds }) => `  slower than kept: ${file} took ${seconds.toFixed(1)} s, kept ${kept.files[file].toFixed(1)} s`,
      ),
  ];
}

/** The table after a run: steps of which a file failed keep what they had. */
export function keepDurations(kept, { files, seconds, isWhole }) {
  const steps = { ...kept.steps };
  for (const step of Object.keys(files).filter((name) => isWhole[name])) {
    const slow = files[step].filter((one) => one.seconds >= LEAST_KEPT_SECONDS).toSorted(bySeconds);
    steps[step] = { seconds: round(seconds[step]), files: Object.fromEntries(slow.map((one) => [one.file, round(one.seconds)])) };
  }
  return { ...kept, steps };
}

export const keepUnstable = (kept, found, seen) => ({
  ...kept,
  unstable: [...kept.unstable, ...found.map(({ file, test }) => ({ seen, file, test }))],
});

/** `unstable: file, test` lines of a log, such as CI's. */
export function readUnstable(text) {
  // CI says them twice: where they were found, and in its closing lines.
  const found = new Map();
  for (const [line, file, test] of text.matchAll(/^(?:> )?unstable: ([^\s,]+), (.+)$/gm)) found.set(line, { file, test });
  return [...found.values()];
}

/** What the log of a run tells of its steps, by title: `seconds`, and `files` as far as it shows them, of those that passed. */
export function readDurations(text, steps) {
  const found = {};
  for (const [step, { title }] of Object.entries(steps)) {
    const lines = text.split('\n').map((line) => line.replace(/^> /, ''));
    const ended = lines
      .map((line) => line.startsWith(`== ${title}: passed in `) && /passed in (\d+) s$/.exec(line))
      .find(Boolean);
    const head = lines.findIndex((line) => line.startsWith(`Slowest of ${title} (`));
    if (!ended || head < 0) continue;
    const files = {};
    for (const line of lines.slice(head + 1)) {
      const [, seconds, file] = /^ +(\d+\.\d) s {2}(\S+)$/.exec(line) ?? [];
      if (file === undefined) break;
      files[file] = Number(seconds);
    }
    found[step] = { seconds: Number(ended[1]), files };
  }
  return found;
}

/** Files that were unstable in two runs and more. */
export function findUnstableTwice({ unstable }) {
  const runs = new Map();
  for (const { file, seen } of unstable) runs.set(file, (runs.get(file) ?? new Set()).add(seen));
  return [...runs].filter(([, times]) => times.size > 1).map(([file]) => file);
}
