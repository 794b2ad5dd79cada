import { type EncodedBlock, type EncodedColumn, encodeBlock } from '@svc/bytes';
import {
  SCOPE_SPANS_SPANS as RECORDS,
  RESOURCE_SPANS_RESOURCE as RESOURCE,
  EXPORT_TRACE_SERVICE_REQUEST_RESOURCE_SPANS as RESOURCES,
  RESOURCE_SPANS_SCHEMA_URL as SCHEMA_URL,
  SCOPE_SPANS_SCOPE as SCOPE,
  RESOURCE_SPANS_SCOPE_SPANS as SCOPES,
} from '../generated/tags.ts';
import { isOutOfTime, type Signal } from '../walk/index.ts';
import { openMessage } from './assembly/instance.ts';
import { type BuildCounts, type BuildMessage, type Built, countsOf, type SignalBuilder } from './builder.ts';
import { checkRows } from './columns.ts';
import type { Origin } from './origin.ts';
import type { Part } from './origin-notes.ts';
import { encodeApart } from './sinks.ts';
import { WireReader } from './wire-reader.ts';

/** What was read of one record before it is known whether and where it goes. */
export interface RecordFacts {
  /** Unix ms, with fractions. */
  tsMs: number;
  read(reader: WireReader, end: number, message: BuildMessage): void;
}

/** Rows of one table, collected. */
export interface RecordBlock<Facts> {
  readonly table: string;
  readonly origin: Origin;
  readonly columns: readonly EncodedColumn[];
  /** What its rows hold of memory, about. */
  readonly bytes: number;
  /** All columns but those that nobody filled, which are empty where they are left out. */
  filled(): readonly EncodedColumn[];
  /** One more row, of the record that `facts` has read; true when something of it was cut. */
  add(reader: WireReader, facts: Facts): boolean;
  reset(): void;
  /** Lets go of its memory, which nobody collects; it is not used again. */
  release(): void;
}

const DAY_MS = 86_400_000;
/** Blocks of their own in one batch; what comes then shares one. */
const MAX_OWN_BLOCKS = 32;
/** A block that is longer is closed before the next message: the store takes a million rows as one, and a message has fewer than that. */
const MAX_ROWS = 200_000;
/** Held at a time, over all blocks, before the next message. One message expands to MAX_WEIGHT at most (walk/weight.ts). */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Blocks kept for the next batch, each with the memory that it once needed. */
const MAX_IDLE = 3;

interface Open<Block> {
  block: Block;
  /** Of the resource and scope whose ids the block holds. */
  resource: number;
  scope: number;
  /** Of the block, after the last message. */
  bytes: number;
}

export interface RecordBuilderOptions<Facts extends RecordFacts, Block extends RecordBlock<Facts>> {
  signal: Signal;
  facts: Facts;
  newBlock: () => Block;
  marks?: RecordMarks<Facts>;
}

/** What records change beside their own rows; each record in time is noted, also one that the store has already. */
export interface RecordMarks<Facts> {
  note(message: BuildMessage, facts: Facts): void;
  /** A block to be inserted behind all others, and empty again. */
  finish(nowMs: number): EncodedBlock | undefined;
  reset(): void;
}

/** Steps over a field with a length and notes where it lies. */
function readPart(reader: WireReader, end: number, part: Part): void {
  part.end = reader.enter(end);
  part.start = reader.at;
  reader.at = part.end;
}

/** Builds the blocks of a signal whose records stand each for itself: spans and logs. */
export class RecordBuilder<Facts extends RecordFacts, Block extends RecordBlock<Facts>> implements SignalBuilder {
  private readonly options: RecordBuilderOptions<Facts, Block>;
  private readonly reader = new WireReader();
  private readonly open = new Map<string, Open<Block>>();
  private readonly closed: Block[] = [];
  private readonly idle: Block[] = [];
  private counts = new Map<string, BuildCounts>();
  private message: BuildMessage | undefined;
  private heldBytes = 0;
  private current: BuildCounts = countsOf(new Map(), '');
  /** The open block of a day of the message, or undefined where the store has it already. */
  private readonly byDay = new Map<number, Open<Block> | undefined>();
  /** Numbers of the resource and scope that is read, and where they and their schemas lie. */
  private resource = 0;
  private readonly resourcePart: Part = { start: 0, end: 0 };
  private readonly resourceSchema: Part = { start: 0, end: 0 };
  private scope = 0;
  private readonly scopePart: Part = { start: 0, end: 0 };
  private readonly scopeSchema: Part = { start: 0, end: 0 };

  constructor(options: RecordBuilderOptions<Facts, Block>) {
    this.options = options;
  }

  get isFull(): boolean {
    return this.heldBytes >= MAX_HELD_BYTES;
  }

  add(message: BuildMessage): void {
    this.message = message;
    this.current = countsOf(this.counts, message.tenant);
    this.byDay.clear();
    for (const [key, { block }] of this.open) {
      if (block.origin.rows < MAX_ROWS) continue;
      this.closed.push(block);
      this.open.delete(key);
    }
    const { reader } = this;
    const end = openMessage(reader, message.bytes);
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === RESOURCES) this.addResource(reader, reader.enter(end));
      else reader.skip(tag, end);
    }
    for (const open of this.byDay.values()) if (open !== undefined) this.measure(open);
  }

  private measure(open: Open<Block>): void {
    const { bytes } = open.block;
    this.heldBytes += bytes - open.bytes;
    open.bytes = bytes;
  }

  private addResource(reader: WireReader, end: number): void {
    const begin = reader.at;
    this.resource++;
    const { resourcePart: part, resourceSchema: schema } = this;
    part.start = part.end = schema.start = schema.end = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === RESOURCE) readPart(reader, end, part);
      else if (tag === SCHEMA_URL) readPart(reader, end, schema);
      else reader.skip(tag, end);
    }
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === SCOPES) this.addScope(reader, reader.enter(end));
      else reader.skip(tag, end);
    }
  }

  private addScope(reader: WireReader, end: number): void {
    const begin = reader.at;
    this.scope++;
    const { scopePart: part, scopeSchema: schema } = this;
    part.start = part.end = schema.start = schema.end = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === SCOPE) readPart(reader, end, part);
      else if (tag === SCHEMA_URL) readPart(reader, end, schema);
      else reader.skip(tag, end);
    }
    reader.at = begin;
    while (reader.at < end) {
      const tag = reader.varint();
      if (tag === RECORDS) this.addRecord(reader, reader.enter(end));
      else reader.skip(tag, end);
    }
  }

  private addRecord(reader: WireReader, end: number): void {
    const { facts, signal } = this.options;
    const message = this.message as BuildMessage;
    facts.read(reader, end, message);
    if (isOutOfTime(signal, facts.tsMs, message.at)) {
      this.current.leftOut++;
      reader.at = end;
      return;
    }
    this.options.marks?.note(message, facts);
    const open = this.blockOf(Math.floor(facts.tsMs / DAY_MS));
    if (open === undefined) this.current.repeated++;
    else {
      this.enter(open, reader);
      if (open.block.add(reader, facts)) this.current.truncated++;
      this.current.rows++;
    }
    reader.at = end;
  }

  private blockOf(day: number): Open<Block> | undefined {
    const known = this.byDay.get(day);
    if (known !== undefined || this.byDay.has(day)) return known;
    const message = this.message as BuildMessage;
    const found = message.stored?.has(day) ? undefined : this.openBlock(message, day);
    found?.block.origin.beginMessage(message);
    this.byDay.set(day, found);
    return found;
  }

  private openBlock({ large, tenant }: BuildMessage, day: number): Open<Block> {
    const own = `${tenant} ${day}`;
    const key = large && (this.open.has(own) || this.open.size < MAX_OWN_BLOCKS) ? own : '';
    const known = this.open.get(key);
    if (known) return known;
    const made = { block: this.idle.pop() ?? this.options.newBlock(), resource: -1, scope: -1, bytes: 0 };
    this.open.set(key, made);
    return made;
  }

  /** Gives the block the resource and scope that is read, unless it has them already. */
  private enter(open: Open<Block>, reader: WireReader): void {
    if (open.scope === this.scope) return;
    const { origin } = open.block;
    if (open.resource !== this.resource) {
      reader.at = this.resourcePart.start;
      if (origin.beginResource(reader, this.resourcePart.end, this.resourceSchema)) this.current.truncated++;
      open.resource = this.resource;
    }
    reader.at = this.scopePart.start;
    if (origin.beginScope(reader, this.scopePart.end, this.scopeSchema)) this.current.truncated++;
    open.scope = this.scope;
  }

  finish(): Built {
    const blocks: EncodedBlock[] = [...this.closed, ...Array.from(this.open.values(), ({ block }) => block)].map((block) => {
      const { table } = block;
      const { rows } = block.origin;
      const columns = block.filled();
      checkRows(columns, rows);
      const bytes = encodeApart((sink) => encodeBlock(sink, { table, rows, columns }));
      return { table, rows, columns: columns.map(({ name }) => name), bytes };
    });
    const marks = this.options.marks?.finish(Date.now());
    if (marks) blocks.push(marks);
    const { counts } = this;
    this.reset();
    return { blocks, counts };
  }

  reset(): void {
    for (const block of [...this.closed, ...Array.from(this.open.values(), (open) => open.block)]) {
      if (this.idle.length >= MAX_IDLE) block.release();
      else {
        block.reset();
        this.idle.push(block);
      }
    }
    this.closed.length = 0;
    this.open.clear();
    this.byDay.clear();
    this.options.marks?.reset();
    this.message = undefined;
    this.heldBytes = 0;
    this.counts = new Map();
  }
}
