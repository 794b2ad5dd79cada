import { readFile, rename, rm, writeFile } from 'node:fs/promises';

/** A small JSON document in the state directory (0600), replaced as a whole; writes come one after the other. */
export interface KeptFile {
  /** Undefined where there is none or it is damaged. */
  read(): Promise<unknown>;
  /** Undefined removes it. Rejects with the file system's error. */
  write(value: unknown): Promise<void>;
}

export function openKeptFile(path: string): KeptFile {
  let queue: Promise<unknown> = Promise.resolve();
  const replace = async (value: unknown): Promise<void> => {
    if (value === undefined) return await rm(path, { force: true });
    await writeFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    await rename(`${path}.new`, path);
  };
  return {
    read: () =>
      readFile(path, 'utf8')
        .then((text) => JSON.parse(text))
        .catch(() => undefined),
    write(value) {
      const done = queue.then(() => replace(value));
      queue = done.catch(() => undefined);
      return done;
    },
  };
}
