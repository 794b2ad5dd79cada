/** The few messages of the D-Bus protocol (specification 0.41, "Message Protocol") that asking for a tray takes; little endian. */
export interface Message {
  kind: 'return' | 'error' | 'signal' | 'other';
  /** Serial of the call that this answers. */
  replyTo: number | undefined;
  member: string | undefined;
  /** The body, where it is one boolean in a variant. */
  flag: boolean | undefined;
}

const BUS = 'org.freedesktop.DBus';
const FIELD = { path: 1, interface: 2, member: 3, replySerial: 5, destination: 6, signature: 8 } as const;
const KINDS: readonly Message['kind'][] = ['other', 'other', 'return', 'error', 'signal'];
const NO_AUTO_START = 2;
/** Of a header before its fields. */
const FIXED_BYTES = 16;
const MAX_BYTES = 1024 * 1024;

const padding = (length: number, to: number): number => (to - (length % to)) % to;
const align = (bytes: Buffer, to: number): Buffer => Buffer.concat([bytes, Buffer.alloc(padding(bytes.length, to))]);
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const text = (value: string): Buffer => Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(`${value}\0`)]);
const signature = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(`${value}\0`)]);

interface Call {
  serial: number;
  path: string;
  destination: string;
  interface: string;
  member: string;
  args: readonly string[];
}

function encodeFields(call: Call): Buffer {
  const fields: [number, string, Buffer][] = [
    [FIELD.path, 'o', text(call.path)],
    [FIELD.interface, 's', text(call.interface)],
    [FIELD.member, 's', text(call.member)],
    [FIELD.destination, 's', text(call.destination)],
  ];
  if (call.args.length > 0) fields.push([FIELD.signature, 'g', signature('s'.repeat(call.args.length))]);
  return fields.reduce((all, [code, type, value]) => {
    const head = Buffer.concat([align(all, 8), Buffer.from([code]), signature(type)]);
    return Buffer.concat([type === 'g' ? head : align(head, 4), value]);
  }, Buffer.alloc(0));
}

function encodeCall(call: Call): Buffer {
  const body = call.args.reduce((all, arg) => Buffer.concat([align(all, 4), text(arg)]), Buffer.alloc(0));
  const fields = encodeFields(call);
  const head = Buffer.concat([
    Buffer.from(['l'.charCodeAt(0), 1, NO_AUTO_START, 1]),
    u32(body.length),
    u32(call.serial),
    u32(fields.length),
    fields,
  ]);
  return Buffer.concat([align(head, 8), body]);
}

const toBus = (serial: number, member: string, args: readonly string[]): Buffer =>
  encodeCall({ serial, path: '/org/freedesktop/DBus', destination: BUS, interface: BUS, member, args });

export const encodeHello = (serial: number): Buffer => toBus(serial, 'Hello', []);
export const encodeAddMatch = (serial: number, rule: string): Buffer => toBus(serial, 'AddMatch', [rule]);

/** Asks the owner of a name for a property of its interface of the same name; an error comes back where nobody has the name. */
export function encodeGetProperty(serial: number, name: string, property: string): Buffer {
  const path = `/${name.split('.').pop()}`;
  return encodeCall({
    serial,
    path,
    destination: name,
    interface: `${BUS}.Properties`,
    member: 'Get',
    args: [name, property],
  });
}

function decodeFields(bytes: Buffer): Map<number, string | number> {
  const fields = new Map<number, string | number>();
  for (let at = 0; at < bytes.length; ) {
    at += padding(at, 8);
    const code = bytes.readUInt8(at);
    const type = String.fromCharCode(bytes.readUInt8(at + 2));
    at += 4;
    if (type === 'g') {
      const length = bytes.readUInt8(at);
      fields.set(code, bytes.toString('latin1', at + 1, at + 1 + length));
      at += length + 2;
      continue;
    }
    at += padding(at, 4);
    const value = bytes.readUInt32LE(at);
    at += 4;
    if (type === 'u') {
      fields.set(code, value);
      continue;
    }
    fields.set(code, bytes.toString('utf8', at, at + value));
    at += value + 1;
  }
  return fields;
}

function decodeMessage(bytes: Buffer, bodyAt: number): Message {
  const fields = decodeFields(bytes.subarray(FIXED_BYTES, FIXED_BYTES + bytes.readUInt32LE(12)));
  const body = bytes.subarray(bodyAt);
  const isFlag = fields.get(FIELD.signature) === 'v' && body.length >= 8 && body.toString('latin1', 1, 2) === 'b';
  const replyTo = fields.get(FIELD.replySerial);
  const member = fields.get(FIELD.member);
  return {
    kind: KINDS[bytes.readUInt8(1)] ?? 'other',
    replyTo: typeof replyTo === 'number' ? replyTo : undefined,
    member: typeof member === 'string' ? member : undefined,
    flag: isFlag ? body.readUInt32LE(4) === 1 : undefined,
  };
}

/** Cuts a stream into messages. One that is too large, of the other byte order or cut wrongly ends the reading. */
export function createMessageReader(onMessage: (message: Message) => void): (chunk: Buffer) => void {
  let held = Buffer.alloc(0);
  let broken = false;
  const next = (): Message | undefined => {
    if (held.length < FIXED_BYTES) return undefined;
    const bodyAt = FIXED_BYTES + held.readUInt32LE(12) + padding(held.readUInt32LE(12), 8);
    const total = bodyAt + held.readUInt32LE(4);
    broken = held[0] !== 'l'.charCodeAt(0) || total > MAX_BYTES;
    if (broken || held.length < total) return undefined;
    const message = decodeMessage(held.subarray(0, total), bodyAt);
    held = held.subarray(total);
    return message;
  };
  return (chunk) => {
    if (broken) return;
    held = Buffer.concat([held, chunk]);
    try {
      for (let message = next(); message; message = next()) onMessage(message);
    } catch {
      broken = true;
    }
  };
}
