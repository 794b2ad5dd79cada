import { randomInt } from 'node:crypto';
import { ByteSink, copyBytes } from '@svc/bytes';
import { type Address, runAssembly } from '../../assembly.ts';
import { AnyValueWriter, MAX_BODY_BYTES } from '../any-value.ts';
import { entry, readKeyValue } from '../attribute-map.ts';
import { BuildFault, WireReader } from '../wire-reader.ts';
import { ASSEMBLY } from './generated/assembly.ts';
import { placeOf } from './hot-attributes.ts';

/** What otlp-wire/assembly/rows/index.ts exports. */
interface Exports {
  seedHashes(low: number, high: number): void;
  roomForMessage(bytes: number): Address;
  roomForText(bytes: number): Address;
  narrowIds(dictionary: Address): 0 | 1 | 2;
  addEntry(key: Address, keyBytes: number, letter: number): void;
  cutEntry(): void;
  spanFacts(): Address;
  readSpan(begin: Address, end: Address): void;
  newSpanBlock(): Address;
  addSpan(block: Address): number;
  spanBlockBytes(block: Address): number;
  resetSpanBlock(block: Address): void;
  freeSpanBlock(block: Address): void;
  logFacts(): Address;
  readLog(begin: Address, end: Address): void;
  newLogBlock(): Address;
  addLog(block: Address, row: number, received: bigint): number;
  addBody(letter: number, isCut: boolean): void;
  logBlockBytes(block: Address): number;
  resetLogBlock(block: Address): void;
  freeLogBlock(block: Address): void;
}

const HALF = 2 ** 32;

const values = new AnyValueWriter();
const bodies = new AnyValueWriter(MAX_BODY_BYTES);
const reader = new WireReader();
const written = new WireReader();
const scratch = new ByteSink(1024);

/** The text of an AnyValue that is not plain, put where the assembly finds it. */
function writeRare(writer: AnyValueWriter, begin: Address, end: Address) {
  const cuts = writer.cuts;
  reader.open(wholeMemory());
  reader.at = begin;
  scratch.reset();
  const letter = writer.write(reader, end, scratch);
  // Behind its length.
  written.open(scratch.bytes);
  written.varint();
  const text = scratch.bytes.subarray(written.at, scratch.length);
  const address = assembly.roomForText(text.length);
  copyBytes(text, wholeMemory(), address);
  return { letter, isCut: writer.cuts > cuts };
}

/** What otlp-wire/assembly/rows/host.ts declares. */
const host = {
  fault(): never {
    throw new BuildFault('A field is longer than its message, or of a wire type that nobody sends.');
  },
  placeOf: (key: Address, bytes: number): number => placeOf(wholeMemory().toString('utf8', key, key + bytes)),
  readRare(begin: Address, end: Address): void {
    reader.open(wholeMemory());
    reader.at = begin;
    readKeyValue(reader, end);
    const { keyStart, keyEnd, valueStart, valueEnd } = entry;
    const { letter, isCut } = writeRare(values, valueStart, valueEnd);
    assembly.addEntry(keyStart, keyEnd - keyStart, letter);
    if (isCut) assembly.cutEntry();
  },
  readBody(begin: Address, end: Address): void {
    const { letter, isCut } = writeRare(bodies, begin, end);
    assembly.addBody(letter, isCut);
  },
};

const running = runAssembly<Exports>(ASSEMBLY, host);
const wholeMemory = running.memory;

/**
 * Columns of spans and log records, and how records become rows of them: otlp-wire/assembly/rows. It is called for one record after the other.
 */
export const assembly = running.code;
assembly.seedHashes(randomInt(HALF), randomInt(HALF));

/** `bytes` from `address` on, as they are now. */
export const bytesAt = (address: Address, bytes: number): Uint8Array => new Uint8Array(wholeMemory().buffer, address, bytes);
/** Doubles that lie one behind the other, as they are from now on: those at `address` must not move. */
export const doublesAt = (address: Address, count: number): Float64Array =>
  new Float64Array(wholeMemory().buffer, address, count);
/** An unsigned word. */
export const wordAt = (address: Address): number => wholeMemory().readUInt32LE(address);

/** Puts a message where the assembly reads it, until the next one; the reader is then at its beginning. Gives its end. */
export function openMessage(into: WireReader, bytes: Buffer): Address {
  const begin = assembly.roomForMessage(bytes.length);
  const memory = wholeMemory();
  copyBytes(bytes, memory, begin);
  into.open(memory);
  into.at = begin;
  return begin + bytes.length;
}
