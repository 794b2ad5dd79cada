import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /(?<!\.test)\.ts$/.test(name));

it('no source, type or layout has a name for the address of an access point or of a card', () => {
  expect(sources.length).toBeGreaterThan(60);
  const name = /bssid|physical_?address|hardware_?addr|mac_?address/i;
  expect(sources.filter((source) => name.test(readFileSync(join(root, source), 'utf8')))).toEqual([]);
});
