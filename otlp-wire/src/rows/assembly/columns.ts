import type { ByteSink, NativeColumn } from '@svc/bytes';
import type { Address } from '../../assembly.ts';
import { writeDictionary } from '../dictionary.ts';
import { assembly, bytesAt, wordAt } from './instance.ts';

/** As the fields of Bytes and Dictionary lie in otlp-wire/assembly. */
const [DATA, LENGTH] = [0, 4];
const [TEXT, IDS, COUNT] = [0, 4, 8];
const ID_BYTES = 4;
const POINTER = 4;

/** The pointers that lie one behind the other at an address, by these names. */
export const pointersAt = <Name extends string>(at: Address, names: readonly Name[]): Record<Name, Address> =>
  Object.fromEntries(names.map((name, i) => [name, wordAt(at + i * POINTER)])) as Record<Name, Address>;

const contentOf = (bytes: Address): Uint8Array => bytesAt(wordAt(bytes + DATA), wordAt(bytes + LENGTH));

/** A column that the assembly fills; it is emptied with its block. */
abstract class AssemblyColumn implements NativeColumn {
  protected readonly at: Address;

  constructor(at: Address) {
    this.at = at;
  }

  abstract get length(): number;
  abstract writeBody(sink: ByteSink): void;

  reset(): void {}

  writePrefix(_sink: ByteSink): void {}
}

/** Values of a fixed width. */
export class FixedView extends AssemblyColumn {
  private readonly width: number;

  constructor(at: Address, width: number) {
    super(at);
    this.width = width;
  }

  get length(): number {
    return wordAt(this.at + LENGTH) / this.width;
  }

  writeBody(sink: ByteSink): void {
    sink.raw(contentOf(this.at));
  }
}

/** String: as many as `rows` says. */
export class TextView extends AssemblyColumn {
  private readonly rows: NativeColumn;

  constructor(at: Address, rows: NativeColumn) {
    super(at);
    this.rows = rows;
  }

  get length(): number {
    return this.rows.length;
  }

  writeBody(sink: ByteSink): void {
    sink.raw(contentOf(this.at));
  }
}

/** LowCardinality(String); written once. */
export class DictionaryView extends AssemblyColumn {
  get length(): number {
    return wordAt(wordAt(this.at + IDS) + LENGTH) / ID_BYTES;
  }

  override writePrefix(sink: ByteSink): void {
    writeDictionary.prefix(sink);
  }

  writeBody(sink: ByteSink): void {
    const { length } = this;
    if (length === 0) return;
    const width = assembly.narrowIds(this.at);
    writeDictionary.body(sink, {
      width,
      count: wordAt(this.at + COUNT),
      text: contentOf(wordAt(this.at + TEXT)),
      rows: length,
      ids: contentOf(wordAt(this.at + IDS)),
    });
  }
}

const [ENDS, KEYS, VALUES, TYPES] = [0, 4, 8, 12];

/** Map(LowCardinality(String), String), and the column of types beside it. */
export class AttributeViews implements NativeColumn {
  readonly types: DictionaryView;
  private readonly ends: FixedView;
  private readonly keys: DictionaryView;
  private readonly values: TextView;

  constructor(map: Address) {
    this.types = new DictionaryView(wordAt(map + TYPES));
    this.ends = new FixedView(wordAt(map + ENDS), 8);
    this.keys = new DictionaryView(wordAt(map + KEYS));
    this.values = new TextView(wordAt(map + VALUES), this.keys);
  }

  get length(): number {
    return this.ends.length;
  }

  reset(): void {}

  writePrefix(sink: ByteSink): void {
    this.keys.writePrefix(sink);
  }

  writeBody(sink: ByteSink): void {
    this.ends.writeBody(sink);
    this.keys.writeBody(sink);
    this.values.writeBody(sink);
  }
}
