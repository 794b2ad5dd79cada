import { isUtf8 } from 'node:buffer';
import { OtlpFault } from '../fault.ts';

export type JsonScalar = string | number | bigint | boolean | null;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** Brackets within what is skipped; the stack is not the sender's to use up. */
const MAX_SKIPPED_DEPTH = 500;

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const longInteger = /^-?\d{16,20}$/;

/**
 * Reads JSON (RFC 8259) in place and builds only what it is asked for: JSON.parse would round numbers of 64 bits, and take its time over
 * what nobody wants. Whatever is wrong throws OtlpFault malformed without a word of the text.
 */
export class JsonReader {
  private readonly bytes: Buffer;
  private p = 0;

  constructor(bytes: Buffer) {
    if (!isUtf8(bytes)) this.fail();
    this.bytes = bytes;
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) this.p = 3;
  }

  /** What the next value begins with. */
  peek(): '{' | '[' | '"' | 'n' | 'other' {
    switch (this.nextByte()) {
      case 0x7b:
        return '{';
      case 0x5b:
        return '[';
      case QUOTE:
        return '"';
      case 0x6e:
        return 'n';
      default:
        return 'other';
    }
  }

  /** Calls `read` after each member's colon; it has to read or skip the value. */
  readObject(read: (key: string) => void): void {
    this.p += 1;
    if (this.closes(0x7d)) return;
    do {
      if (this.nextByte() !== QUOTE) this.fail();
      const key = this.readString();
      if (this.nextByte() !== COLON) this.fail();
      this.p += 1;
      read(key);
    } while (this.goesOn(0x7d));
  }

  readArray(read: (index: number) => void): void {
    this.p += 1;
    if (this.closes(0x5d)) return;
    let index = 0;
    do read(index++);
    while (this.goesOn(0x5d));
  }

  /** Anything but an object or array; whole numbers that a double may not hold come as bigint. */
  readScalar(): JsonScalar {
    switch (this.nextByte()) {
      case QUOTE:
        return this.readString();
      case 0x74:
        return this.readWord('true', true);
      case 0x66:
        return this.readWord('false', false);
      case 0x6e:
        return this.readWord('null', null);
      default:
        return this.readNumber();
    }
  }

  skip(depth = 0): void {
    if (depth > MAX_SKIPPED_DEPTH) throw new OtlpFault('too_deep', `A value is nested over ${MAX_SKIPPED_DEPTH} brackets deep.`);
    const kind = this.peek();
    if (kind === '{') this.readObject(() => this.skip(depth + 1));
    else if (kind === '[') this.readArray(() => this.skip(depth + 1));
    else this.readScalar();
  }

  /** Nothing may follow the one value. */
  finish(): void {
    if (this.nextByte() !== undefined) this.fail();
  }

  private fail(): never {
    throw new OtlpFault('malformed', 'The request is not JSON.');
  }

  /** Past white space; undefined at the end. */
  private nextByte(): number | undefined {
    const { bytes } = this;
    let byte = bytes[this.p];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      this.p += 1;
      byte = bytes[this.p];
    }
    return byte;
  }

  private closes(bracket: number): boolean {
    if (this.nextByte() !== bracket) return false;
    this.p += 1;
    return true;
  }

  private goesOn(bracket: number): boolean {
    const byte = this.nextByte();
    if (byte !== COMMA && byte !== bracket) this.fail();
    this.p += 1;
    return byte === COMMA;
  }

  private readWord<T>(word: string, value: T): T {
    if (this.bytes.toString('latin1', this.p, this.p + word.length) !== word) this.fail();
    this.p += word.length;
    return value;
  }

  private readString(): string {
    const { bytes } = this;
    const start = this.p;
    let isAscii = true;
    let hasEscape = false;
    for (let p = start + 1; ; p += 1) {
      const byte = bytes[p];
      if (byte === QUOTE) {
        this.p = p + 1;
        if (hasEscape) return this.unescape(start, p + 1);
        return isAscii ? bytes.toString('latin1', start + 1, p) : bytes.toString('utf8', start + 1, p);
      }
      if (byte === undefined || byte < 0x20) this.fail();
      if (byte === BACKSLASH) {
        hasEscape = true;
        p += 1;
      } else if (byte > 127) isAscii = false;
    }
  }

  private unescape(start: number, end: number): string {
    try {
      return JSON.parse(this.bytes.toString('utf8', start, end)) as string;
    } catch {
      return this.fail();
    }
  }

  private readNumber(): number | bigint {
    const { bytes } = this;
    const start = this.p;
    let p = start;
    for (let byte = bytes[p]; byte !== undefined && isOfNumber(byte); byte = bytes[p]) p += 1;
    this.p = p;
    // By far the most numbers are small: 0, 1, 443.
    if (p - start === 1) {
      const digit = (bytes[start] as number) - 0x30;
      return digit >= 0 && digit < 10 ? digit : this.fail();
    }
    const text = bytes.toString('latin1', start, p);
    if (!number.test(text)) this.fail();
    return longInteger.test(text) ? BigInt(text) : Number(text);
  }
}

/** Digits, + - . e E. */
function isOfNumber(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2d || byte === 0x2b || byte === 0x65 || byte === 0x45;
}
