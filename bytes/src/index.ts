export { ByteSink, wordsOf } from './byte-sink.ts';
export { copyBytes } from './copy-bytes.ts';
export { FingerprintSet, RecentFingerprints } from './fingerprint-set.ts';
export type { Block, Column, ColumnType, EncodedBlock, EncodedColumn, NativeColumn } from './native/block.ts';
export { type AnswerBlock, decodeAnswer } from './native/decode-answer.ts';
export type { Numbers, Wides } from './native/decode-columns.ts';
export { encodeBlock } from './native/encode-block.ts';
export { type ColumnBuilder, newColumn } from './native/encode-columns.ts';
export { webAssembly } from './web-assembly.ts';
