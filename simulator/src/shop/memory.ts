import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** What a simulated shop remembers between runs. */
export interface ShopMemory {
  seed: number;
  endpoint: string;
  /** Unix ms that its incidents are counted from. */
  anchorMs: number;
  /** All that ended up to here is acknowledged; null before the first. Unix ms. */
  deliveredToMs: number | null;
}

/** The memory in a file; undefined where there is none or it is of another shop. */
export function loadShopMemory(file: string, shop: Pick<ShopMemory, 'seed' | 'endpoint'>): ShopMemory | undefined {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8')) as ShopMemory;
    return found.seed === shop.seed && found.endpoint === shop.endpoint && typeof found.anchorMs === 'number' ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Written beside its place and renamed, so that a crash leaves the old or the new one. */
export function saveShopMemory(file: string, memory: ShopMemory): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, JSON.stringify(memory));
  renameSync(`${file}.new`, file);
}
