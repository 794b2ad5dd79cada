// Makes the OTLP walker out of the field tables of contracts/: one function a message, a switch on the tag, nothing sliced or kept.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPORT_REQUESTS, ID_BYTES, OTLP_ENUMS, OTLP_MESSAGES } from '@svc/contracts/otlp/descriptor';

const FIXED_BYTES = { fixed64: 8, sfixed64: 8, double: 8, fixed32: 4 };

/** What a span, record or point is dated by; the later name stands in where the earlier is absent or 0. */
const ITEM_TIMES = {
  Span: ['start_time_unix_nano'],
  LogRecord: ['time_unix_nano', 'observed_time_unix_nano'],
  NumberDataPoint: ['time_unix_nano'],
  HistogramDataPoint: ['time_unix_nano'],
  ExponentialHistogramDataPoint: ['time_unix_nano'],
  SummaryDataPoint: ['time_unix_nano'],
};

const nameOf = (message) => `walk${message.replace('.', '')}`;
const cases = (number, wireTypes) => wireTypes.map((type) => `case ${number * 8 + type}:`).join(' ');
const READ_LENGTH = `let length = b[p++] as number;
        if (length > 127) {
          length = s.readLong(p - 1, end);
          p = s.pos;
        }
        const e = p + length;
        if (!(e <= end)) s.truncated();`;

/** Text is nearly always ASCII, which is looked through four bytes at a time. */
const SKIP_ASCII = 'for (const last = e - 4; p <= last && (w.getInt32(p) & 0x80808080) === 0; ) p += 4;';

/** The statements of a length-delimited field between its length and `p = e`. */
function checkContent(message, [, name, , type, occurrence]) {
  const field = `'${message}.${name}'`;
  if (type in OTLP_MESSAGES) {
    const before = [];
    const after = [];
    if (message.startsWith('Export')) before.push('s.openResource(at, p);') && after.push('s.closeResource(e);');
    if (type === 'Resource') before.push('s.takeResource(at, p, e);');
    if (message === 'Resource' && name === 'attributes') before.push('s.takeResourceAttribute(p, e);');
    if (occurrence === 'oneof data') before.push('if (data !== 0 && data !== tag) s.twoKinds("Metric.data");', 'data = tag;');
    return [...before, `${nameOf(type)}(s, p, e, depth + 1);`, ...after];
  }
  if (type === 'string')
    return [SKIP_ASCII, 'while (p < e && (b[p] as number) < 128) p++;', `if (p < e) s.checkUtf8(p, e, ${field});`];
  if (type === 'bytes')
    return name in ID_BYTES ? [`if (length !== 0 && length !== ${ID_BYTES[name]}) s.wrongLength(${field});`] : [];
  if (type in FIXED_BYTES) return [`if (length % ${FIXED_BYTES[type]} !== 0) s.wrongLength(${field});`];
  return ['while (p < e) p = s.skipVarint(p, e);'];
}

function writeField(message, row) {
  const [number, name, , type, occurrence] = row;
  const isDelimited = type in OTLP_MESSAGES || type === 'string' || type === 'bytes';
  const scalarType = isDelimited ? undefined : (FIXED_BYTES[type] ?? 0) === 8 ? 1 : type in FIXED_BYTES ? 5 : 0;
  const lines = [];
  const known = [];
  if (scalarType !== undefined) {
    known.push(scalarType);
    const size = FIXED_BYTES[type];
    const time = (ITEM_TIMES[message] ?? []).indexOf(name);
    if (time >= 0) {
      lines.push(`${cases(number, [1])}`, `  time${time} = s.readFixed64(p);`, '  p += 8;', '  break;');
    } else if (size) lines.push(`${cases(number, [scalarType])}`, `  p += ${size};`, '  break;');
    else
      lines.push(
        `${cases(number, [0])}`,
        '  if (p < end && (b[p] as number) < 128) p++;',
        '  else p = s.skipVarint(p, end);',
        '  break;',
      );
  }
  if (isDelimited || occurrence === 'repeated') {
    known.push(2);
    const content = checkContent(message, row);
    const at = content.some((line) => line.includes('(at, ')) ? ['const at = p;'] : [];
    lines.push(
      `${cases(number, [2])} {`,
      ...[...at, READ_LENGTH, ...content, 'p = e;', 'break;'].map((line) => `  ${line}`),
      '}',
    );
  }
  const wrong = [0, 1, 2, 5].filter((wireType) => !known.includes(wireType));
  lines.push(cases(number, wrong), `  return s.wrongWireType('${message}.${name}');`);
  return lines.map((line) => `      ${line}`).join('\n');
}

function writeMessage(message) {
  const times = (ITEM_TIMES[message] ?? []).map((_, i) => `time${i}`);
  const head = [
    ...(message === 'AnyValue' ? ['if (depth > MAX_DEPTH) s.tooDeep();'] : []),
    'const b = s.bytes;',
    ...(OTLP_MESSAGES[message].some((row) => checkContent(message, row).includes(SKIP_ASCII)) ? ['const w = s.words;'] : []),
    ...times.map((time) => `let ${time} = 0;`),
    ...(message === 'Metric' ? ['let data = 0;'] : []),
  ];
  const tail =
    times.length > 0 ? [`s.countItem(${[...times, ...(message === 'LogRecord' ? ['s.nowMs * 1e6'] : [])].join(' || ')});`] : [];
  return `${message in requests ? 'export ' : ''}function ${nameOf(message)}(s: WalkState, p: number, end: number, depth: number): void {
  ${head.join('\n  ')}
  while (p < end) {
    let tag = b[p++] as number;
    if (tag > 127) {
      tag = s.readLong(p - 1, end);
      p = s.pos;
    }
    switch (tag) {
${OTLP_MESSAGES[message].map((row) => writeField(message, row)).join('\n')}
      default:
        p = s.skip(tag, p, end);
    }
  }
  if (p !== end) s.truncated();${tail.map((line) => `\n  ${line}`).join('')}
}
`;
}

const requests = Object.fromEntries(Object.values(EXPORT_REQUESTS).map((name) => [name, true]));
const reached = new Set(Object.keys(requests));
for (const message of reached) {
  for (const [, , , type] of OTLP_MESSAGES[message]) {
    if (type in OTLP_MESSAGES) reached.add(type);
    else if (!(type in OTLP_ENUMS) && type[0] === type[0].toUpperCase()) throw new Error(`${message}: no table of ${type}`);
  }
}
const folder = join(import.meta.dirname, 'src', 'features', 'otlp', 'wire', 'generated');
mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, 'walk-messages.ts'),
  `// Made by server/generate-walker.js out of contracts/src/otlp.
import { MAX_DEPTH, type WalkState } from '../walk-state.ts';

${[...reached].map(writeMessage).join('\n')}`,
);
