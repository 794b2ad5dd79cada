import { open } from 'node:fs/promises';

/** Makes a new name durable: without it a power cut may forget a file whose content was synced. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Windows cannot sync a directory.
    if (process.platform !== 'win32') throw error;
  } finally {
    await handle.close();
  }
}
