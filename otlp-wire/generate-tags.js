// Makes the tags of OTLP's fields, number and wire type, out of the tables of contracts/: once for src/, once for assembly/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OTLP_MESSAGES } from '@svc/contracts/otlp/descriptor';

const WIRE_TYPES = { string: 2, bytes: 2, fixed64: 1, sfixed64: 1, double: 1, fixed32: 5 };

const capitals = (name) =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('.', '_')
    .toUpperCase();

const tags = new Map();
function add(name, tag) {
  if (tags.has(name)) throw new Error(`Two fields would be called ${name}.`);
  tags.set(name, tag);
}

for (const [message, rows] of Object.entries(OTLP_MESSAGES)) {
  for (const [number, field, , type, occurrence] of rows) {
    const wireType = type in OTLP_MESSAGES ? 2 : (WIRE_TYPES[type] ?? 0);
    const name = `${capitals(message)}_${capitals(field)}`;
    add(name, number * 8 + wireType);
    // Lists of numbers come one by one or packed.
    if (occurrence === 'repeated' && wireType !== 2) add(`${name}_PACKED`, number * 8 + 2);
  }
}

for (const [folder, type] of [
  ['src', ''],
  ['assembly', ': u32'],
]) {
  const target = join(import.meta.dirname, folder, 'generated');
  mkdirSync(target, { recursive: true });
  const lines = [...tags].map(([name, tag]) => `export const ${name}${type} = ${tag};\n`);
  writeFileSync(join(target, 'tags.ts'), `// Made by otlp-wire/generate-tags.js out of contracts/src/otlp.\n${lines.join('')}`);
}
