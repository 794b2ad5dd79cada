import {
  type Decoded,
  decodeColumn,
  type Ids,
  type Lists,
  type Lows,
  type Maps,
  type Numbers,
  type Texts,
  type Wides,
} from './columns.ts';
import { ByteCursor, type NativeType, parseType, prefixOf, skipValues } from './native-types.ts';

/** Names and types of a table's blocks: alike in all of them, so they are kept once. */
interface Shape {
  places: ReadonlyMap<string, number>;
  types: readonly NativeType[];
}

/** A block in Native format, names and types in it. */
export interface WrittenBlock {
  table: string;
  rows: number;
  /** Copied: the writer may use them again. */
  bytes: Buffer;
}

/** A block without names and types: the values of its columns one after the other. */
export interface KeptBlock {
  rows: number;
  shape: Shape;
  bytes: Buffer;
  /** Where the values of each column begin. */
  starts: Uint32Array;
}

/** What an object and its parts take beside their bytes. */
const OVERHEAD_BYTES = 600;

export const sizeOf = ({ bytes, starts }: KeptBlock): number => bytes.length + starts.byteLength + OVERHEAD_BYTES;

const shapes = new Map<string, Shape>();

function shapeOf(names: readonly string[], types: readonly string[]): Shape {
  const key = JSON.stringify([names, types]);
  const known = shapes.get(key);
  if (known) return known;
  const shape = { places: new Map(names.map((name, place) => [name, place])), types: types.map(parseType) };
  shapes.set(key, shape);
  return shape;
}

/** Copies a block out of memory that its writer uses again. RangeError or TypeError for bytes that are no block of ours. */
export function keepBlock({ bytes, rows }: Omit<WrittenBlock, 'table'>): KeptBlock {
  const cursor = new ByteCursor(bytes);
  const count = cursor.varint();
  if (cursor.varint() !== rows) throw new RangeError('A block has not the rows that it is said to have.');
  const [names, types, parts]: [string[], string[], Buffer[]] = [[], [], []];
  const starts = new Uint32Array(count);
  let length = 0;
  for (let i = 0; i < count; i++) {
    names.push(cursor.text());
    const name = cursor.text();
    types.push(name);
    const type = parseType(name);
    cursor.skip(prefixOf(type));
    const { at } = cursor;
    skipValues(cursor, type, rows);
    parts.push(bytes.subarray(at, cursor.at));
    starts[i] = length;
    length += cursor.at - at;
  }
  if (cursor.at !== bytes.length) throw new RangeError('A block goes on after its last column.');
  const kept = Buffer.allocUnsafeSlow(length);
  for (const [i, part] of parts.entries()) part.copy(kept, starts[i]);
  return { rows, shape: shapeOf(names, types), bytes: kept, starts };
}

/** The columns of a block, each decoded when it is first asked for. TypeError for a column that the block has not. */
export class BlockColumns {
  private readonly block: KeptBlock;
  private readonly decoded: (Decoded | undefined)[] = [];

  constructor(block: KeptBlock) {
    this.block = block;
  }

  get rows(): number {
    return this.block.rows;
  }

  has(name: string): boolean {
    return this.block.shape.places.has(name);
  }

  private column(name: string): Decoded {
    const { shape, bytes, starts, rows } = this.block;
    const place = shape.places.get(name);
    if (place === undefined) throw new TypeError(`A block has no column ${name}.`);
    const known = this.decoded[place];
    if (known !== undefined) return known;
    const column = decodeColumn(new ByteCursor(bytes, starts[place]), shape.types[place] as NativeType, rows);
    this.decoded[place] = column;
    return column;
  }

  numbers(name: string): Numbers {
    return this.column(name) as Numbers;
  }

  wides(name: string): Wides {
    return this.column(name) as Wides;
  }

  ids(name: string): Ids {
    return this.column(name) as Ids;
  }

  texts(name: string): Texts {
    return this.column(name) as Texts;
  }

  lows(name: string): Lows {
    return this.column(name) as Lows;
  }

  maps(name: string): Maps {
    return this.column(name) as Maps;
  }

  lists<T extends Decoded>(name: string): Lists<T> {
    return this.column(name) as Lists<T>;
  }
}
