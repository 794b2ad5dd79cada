import { askingMap, hostText } from './attributes';
import { Bytes } from './bytes';
import { Dictionary } from './dictionary';
import { askingBlock, LogBlock } from './log';
import { SpanBlock } from './span';

export { seedHashes } from './dictionary';
export { logFacts, readLog } from './log';
export { readSpan, spanFacts } from './span-facts';

const message = new Bytes();

/** Where a message of so many bytes is to be put; it stays until the next one. */
export function roomForMessage(size: u32): usize {
  message.length = 0;
  return message.room(size);
}

/** Where the text of so many bytes is to be put that was asked for. */
export function roomForText(size: u32): usize {
  hostText.length = 0;
  const at = hostText.room(size);
  hostText.length = size;
  return at;
}

/** Answers `readRare`: the text is there, and was cut or not. */
export function addEntry(key: usize, keySize: u32, letter: u32): void {
  askingMap().addEntry(key, keySize, letter);
}

export function cutEntry(): void {
  askingMap().markCut();
}

/** Answers `readBody`. */
export function addBody(letter: u32, isCut: bool): void {
  askingBlock().addBody(letter, isCut);
}

export function newSpanBlock(): SpanBlock {
  const block = new SpanBlock();
  block.reset();
  return block;
}

/** One more row, of the span that was read last; 1: something was cut, 2: it has links, or tells of entries that were dropped. */
export function addSpan(block: SpanBlock): u32 {
  return block.add();
}

export function spanBlockBytes(block: SpanBlock): u32 {
  return block.bytes();
}

export function resetSpanBlock(block: SpanBlock): void {
  block.reset();
}

export function freeSpanBlock(block: SpanBlock): void {
  block.free();
}

export function newLogBlock(): LogBlock {
  const block = new LogBlock();
  block.reset();
  return block;
}

/** One more row, of the record that was read last; 1: something was cut. */
export function addLog(block: LogBlock, row: u32, received: u64): u32 {
  return block.add(row, received);
}

export function logBlockBytes(block: LogBlock): u32 {
  return block.bytes();
}

export function resetLogBlock(block: LogBlock): void {
  block.reset();
}

export function freeLogBlock(block: LogBlock): void {
  block.free();
}

export function narrowIds(dictionary: Dictionary): u32 {
  return dictionary.narrow();
}
