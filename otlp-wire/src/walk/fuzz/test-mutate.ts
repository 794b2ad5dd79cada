import { OTLP_MESSAGES } from '@svc/contracts/otlp/descriptor';
import type { Random } from '../test-requests.ts';

/** A field on the wire: its tag, and what follows it (without a length); of a message, its fields. */
export interface Field {
  tag: number;
  content: Buffer | Field[];
}

const wireTypeOf = (tag: number) => tag % 8;

/** A request that a conforming encoder made. */
export function parseFields(bytes: Buffer, message: string): Field[] {
  const fields: Field[] = [];
  let p = 0;
  const readVarint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[p++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  while (p < bytes.length) {
    const tag = readVarint();
    const from = p;
    if (wireTypeOf(tag) === 0) readVarint();
    else if (wireTypeOf(tag) === 1) p += 8;
    else if (wireTypeOf(tag) === 5) p += 4;
    else {
      const length = readVarint();
      const content = bytes.subarray(p, p + length);
      p += length;
      const type = OTLP_MESSAGES[message]?.find(([number]) => number === Math.floor(tag / 8))?.[3] ?? '';
      fields.push({ tag, content: type in OTLP_MESSAGES ? parseFields(content, type) : content });
      continue;
    }
    fields.push({ tag, content: bytes.subarray(from, p) });
  }
  return fields;
}

function varint(value: number, padding = 0): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  for (let i = 0; i < padding; i += 1) bytes.push((bytes.pop() as number) | 128, 0);
  return Buffer.from(bytes);
}

/** `pad` says by how many bytes a tag or length is longer than it need be. */
export function writeFields(fields: readonly Field[], pad: () => number = () => 0): Buffer {
  return Buffer.concat(
    fields.flatMap(({ tag, content }) => {
      const bytes = Array.isArray(content) ? writeFields(content, pad) : content;
      const isDelimited = wireTypeOf(tag) === 2;
      return [varint(tag, pad()), ...(isDelimited ? [varint(bytes.length, pad())] : []), bytes];
    }),
  );
}

const badText = ['c0af', 'eda080', 'f4908080', 'f08080', 'ff', '80', 'e282', 'c2', 'f5808080', 'efbfbf', 'f48fbfbf'].map((hex) =>
  Buffer.from(hex, 'hex'),
);
const strays = [
  '0801',
  '10ffffffffffffffffff01',
  '10ffffffffffffffffff02',
  'f8ffffff0f01',
  '0001',
  '0b0c',
  '0f',
  '0e',
  'a2060161',
  '25',
  '2d00000000',
].map((hex) => Buffer.from(hex, 'hex'));

/** All lists of fields within, the request's own first. */
const listsOf = (fields: Field[]): Field[][] => [
  fields,
  ...fields.flatMap(({ content }) => (Array.isArray(content) ? listsOf(content) : [])),
];

type Mutation = (list: Field[], random: Random, lists: Field[][]) => void;

const mutations: Mutation[] = [
  function repeatField(list, random) {
    if (list.length > 0) list.splice(random.below(list.length + 1), 0, random.pick(list));
  },
  function dropField(list, random) {
    list.splice(random.below(list.length), 1);
  },
  function swapFields(list, random) {
    list.push(...list.splice(random.below(list.length), 1));
  },
  function retag(list, random) {
    const field = list[random.below(list.length)];
    if (field) field.tag = random.chance(0.5) ? Math.floor(field.tag / 8) * 8 + random.below(8) : random.below(160);
  },
  function transplant(list, random, lists) {
    const from = random.pick(lists);
    if (from.length > 0 && from !== list) list.push(structuredCloneField(random.pick(from)));
  },
  function insertStray(list, random) {
    list.splice(random.below(list.length + 1), 0, {
      tag: 8 * random.pick([1, 2, 15, 100, 5000]) + 2,
      content: random.pick(strays),
    });
  },
  function spoilText(list, random) {
    const field = list.find(({ tag, content }) => wireTypeOf(tag) === 2 && !Array.isArray(content));
    if (field) field.content = Buffer.concat([Buffer.from('ok'), random.pick(badText)]);
  },
  function resize(list, random) {
    const field = list.find(({ content }) => !Array.isArray(content));
    if (field) field.content = Buffer.alloc(random.pick([0, 1, 7, 8, 9, 15, 16, 17]), 1);
  },
  function unpack(list) {
    // Of packed numbers of eight bytes: each as a field of its own.
    const at = list.findIndex(
      ({ tag, content }) => (tag === 50 || tag === 58) && !Array.isArray(content) && content.length % 8 === 0,
    );
    const field = list[at];
    if (!field || Array.isArray(field.content)) return;
    const { tag, content } = field;
    list.splice(
      at,
      1,
      ...Array.from({ length: content.length / 8 }, (_, i) => ({ tag: tag - 1, content: content.subarray(i * 8, i * 8 + 8) })),
    );
  },
  function nest(list, random) {
    // AnyValue.array_value.values and KeyValue.value.
    const field = list.find(({ tag, content }) => tag === 18 && Array.isArray(content));
    if (!field) return;
    for (let levels = random.pick([1, 10, 26, 28, 30, 45]); levels > 0; levels -= 1) {
      field.content = [{ tag: 42, content: [{ tag: 10, content: field.content }] }];
    }
  },
];

function structuredCloneField({ tag, content }: Field): Field {
  return { tag, content: Array.isArray(content) ? content.map(structuredCloneField) : content };
}

/** Changes fields with the lengths around them kept right, then sometimes bytes, so that they are not. */
export function mutate(bytes: Buffer, message: string, random: Random): Buffer {
  const fields = parseFields(bytes, message);
  for (let count = random.below(4); count > 0; count -= 1) {
    const lists = listsOf(fields);
    random.pick(mutations)(random.pick(lists), random, lists);
  }
  const padShare = random.pick([0, 0, 0.1]);
  const changed = writeFields(fields, () => (random.chance(padShare) ? 1 + random.below(4) : 0));
  return random.chance(0.4) ? mutateBytes(changed, random) : changed;
}

function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length);
  switch (random.below(5)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(8))]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), random.pick(strays), bytes.subarray(at)]);
    default: {
      const changed = Buffer.from(bytes);
      for (let count = 1 + random.below(3); count > 0 && changed.length > 0; count -= 1) {
        changed[random.below(changed.length)] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.below(256)]);
      }
      return changed;
    }
  }
}
