// Makes the OTLP walker out of the field tables of contracts/: one function a message, a switch on the tag, nothing sliced or kept. It is
// AssemblyScript, which generate-assembly.js compiles with assembly/walk; the names of fields stay outside, for sentences about them.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
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

/** What is weighed (assembly/walk/weight.ts). */
const SCOPES = new Set(['ScopeSpans', 'ScopeLogs', 'ScopeMetrics']);
const RECORDS = new Set(['Span', 'LogRecord', 'Metric']);
const PARTS = new Set(['Span.Event', 'Span.Link', 'SummaryDataPoint.ValueAtQuantile']);

const fieldNames = [];
/** The number of a field in the list of names. */
function numberOf(name) {
  if (!fieldNames.includes(name)) fieldNames.push(name);
  return fieldNames.indexOf(name);
}

const nameOf = (message) => `walk${message.replace('.', '')}`;
const cases = (number, wireTypes) => wireTypes.map((type) => `case ${number * 8 + type}:`).join(' ');

/** The statements of a length-delimited field from `p` to `e`. */
function checkContent(message, [, name, , type, occurrence]) {
  const field = `${message}.${name}`;
  if (type in OTLP_MESSAGES) {
    const before = [];
    const after = [];
    if (message.startsWith('Export'))
      before.push('openResource(at, p);', 'weighResource();') && after.push('closeResource(e);', 'closeWeight(p, e);');
    if (SCOPES.has(type)) before.push('openScope();') && after.push('closeScope(p, e);');
    if (RECORDS.has(type)) after.push('addRecordBytes(p, e);');
    if (PARTS.has(type)) before.push('countPart();');
    if (type === 'Resource') before.push('takeResource(at, p, e);');
    if (message === 'Resource' && name === 'attributes') before.push('takeResourceAttribute(p, e);', 'countAttribute(p, e);');
    if (occurrence === 'oneof data') {
      before.push(`if (data !== 0 && data !== tag) refuse(TWO_KINDS, ${numberOf('Metric.data')});`, 'data = tag;');
    }
    const isPair = type === 'KeyValue' && message !== 'Resource';
    return [...before, `${isPair ? 'if (!isPlainPair(p, e)) ' : ''}${nameOf(type)}(p, e, depth + 1);`, ...after];
  }
  const refused = (reason) => `refuse(${reason}, ${numberOf(field)});`;
  if (type === 'string') return [`if (!isText(p, e)) ${refused('NOT_UTF8')}`];
  if (type === 'bytes') return name in ID_BYTES ? [`if (e !== p && e - p !== ${ID_BYTES[name]}) ${refused('WRONG_LENGTH')}`] : [];
  if (type in FIXED_BYTES) return [`if ((e - p) % ${FIXED_BYTES[type]} !== 0) ${refused('WRONG_LENGTH')}`];
  return [...(name === 'bucket_counts' ? ['addBuckets(p, e);'] : []), 'while (p < e) p = skipVarint(p, e);'];
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
    if (time >= 0) lines.push(`${cases(number, [1])}`, `  time${time} = timeAt(p);`);
    if (size) lines.push(...(time >= 0 ? [] : [`${cases(number, [scalarType])}`]), `  p = behind(p, ${size}, end);`, '  break;');
    else lines.push(`${cases(number, [0])}`, '  p = skipVarint(p, end);', '  break;');
  }
  if (isDelimited || occurrence === 'repeated') {
    known.push(2);
    const content = checkContent(message, row);
    const at = content.some((line) => line.includes('(at, ')) ? ['const at = p;'] : [];
    lines.push(
      `${cases(number, [2])} {`,
      ...[...at, 'const e = fieldEnd(p, end);', 'p = pos;', ...content, 'p = e;', 'break;'].map((line) => `  ${line}`),
      '}',
    );
  }
  const wrong = [0, 1, 2, 5].filter((wireType) => !known.includes(wireType));
  lines.push(cases(number, wrong), `  refuse(WRONG_WIRE_TYPE, ${numberOf(`${message}.${name}`)});`, '  break;');
  return lines.map((line) => `      ${line}`).join('\n');
}

/** The time that an item is counted by. */
function writeCount(message) {
  const times = (ITEM_TIMES[message] ?? []).map((_, i) => `time${i}`);
  if (times.length === 0) return '';
  const last = message === 'LogRecord' ? 'receiveTime()' : '0';
  return `\n  weighItem();\n  countItem(${times.reduceRight((rest, time) => `${time} !== 0 ? ${time} : ${rest}`, last)});`;
}

function writeMessage(message) {
  const times = (ITEM_TIMES[message] ?? []).map((_, i) => `let time${i}: f64 = 0;`);
  const head = [
    'let p = begin;',
    ...(message === 'AnyValue' ? ['if (depth > MAX_DEPTH) refuse(TOO_DEEP, 0);'] : []),
    ...times,
    ...(message === 'Metric' ? ['let data: u32 = 0;'] : []),
  ];
  return `${message in requests ? 'export ' : ''}function ${nameOf(message)}(begin: usize, end: usize, depth: u32): void {
  ${head.join('\n  ')}
  while (p < end) {
    let tag: u32 = load<u8>(p++);
    if (tag > 127) {
      tag = readLong(p - 1, end);
      p = pos;
    }
    switch (tag) {
${OTLP_MESSAGES[message].map((row) => writeField(message, row)).join('\n')}
      default:
        p = skip(tag, p, end);
    }
  }
  if (p !== end) refuse(TRUNCATED, 0);${writeCount(message)}
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

const MADE = '// Made by otlp-wire/generate-walker.js out of contracts/src/otlp.';
function write(folder, name, text) {
  const at = join(import.meta.dirname, ...folder, 'generated');
  // What an earlier version made there would be compiled with it.
  rmSync(at, { recursive: true, force: true });
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, name), `${MADE}\n${text}`);
}

write(
  ['assembly', 'walk'],
  'messages.ts',
  `import { refuse } from '../host';
import {
  addBuckets, addRecordBytes, closeScope, closeWeight, countAttribute, countPart, openScope, weighItem, weighResource,
} from '../weight';
import {
  behind, closeResource, countItem, fieldEnd, isPlainPair, isText, MAX_DEPTH, NOT_UTF8, openResource, pos, readLong, receiveTime, skip, skipVarint,
  takeResource, takeResourceAttribute, timeAt, TOO_DEEP, TRUNCATED, TWO_KINDS, WRONG_LENGTH, WRONG_WIRE_TYPE,
} from '../state';

${[...reached].map(writeMessage).join('\n')}`,
);
write(
  ['src', 'walk'],
  'field-names.ts',
  `/** Names of fields, by the number that the walker gives them. */\nexport const FIELD_NAMES: readonly string[] = ${JSON.stringify(fieldNames)};\n`,
);
