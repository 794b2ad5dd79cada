import { zstdDecompressSync } from 'node:zlib';

/** Tags of an RPM header that a package's check needs; the numbers are those of rpm's rpmtag.h. */
const TAGS = { name: 1000, version: 1001, os: 1021, arch: 1022, preRemove: 1025 } as const;
const LEAD_BYTES = 96;

interface Header {
  texts: Map<number, string>;
  end: number;
}

function readHeader(bytes: Buffer, at: number): Header {
  if (bytes.readUInt32BE(at) !== 0x8eade801) throw new Error('no RPM header where one must be');
  const entries = bytes.readUInt32BE(at + 8);
  const data = at + 16 + entries * 16;
  const texts = new Map<number, string>();
  for (let i = 0; i < entries; i += 1) {
    const entry = at + 16 + i * 16;
    const [tag, type, offset] = [0, 4, 8].map((part) => bytes.readUInt32BE(entry + part)) as [number, number, number];
    // 6: one text, 9: texts in several languages; the first is enough.
    if (type === 6 || type === 9) texts.set(tag, bytes.toString('utf8', data + offset, bytes.indexOf(0, data + offset)));
  }
  return { texts, end: data + bytes.readUInt32BE(at + 12) };
}

export interface RpmFile {
  path: string;
  mode: number;
  size: number;
}

/** The cpio archive (newc) inside. */
function readFiles(archive: Buffer): RpmFile[] {
  const files: RpmFile[] = [];
  let at = 0;
  const field = (index: number): number =>
    Number.parseInt(archive.toString('latin1', at + 6 + index * 8, at + 14 + index * 8), 16);
  const aligned = (value: number): number => Math.ceil(value / 4) * 4;
  while (archive.toString('latin1', at, at + 6) === '070701') {
    const [mode, size, nameBytes] = [field(1), field(6), field(11)];
    const path = archive.toString('utf8', at + 110, at + 110 + nameBytes - 1);
    if (path === 'TRAILER!!!') break;
    files.push({ path: path.replace(/^\.?\/?/, '/'), mode, size });
    at = aligned(aligned(at + 110 + nameBytes) + size);
  }
  return files;
}

/** Reads an RPM whose payload is compressed by zstd: enough to see what it would install. Throws where it is none. */
export function readRpm(bytes: Buffer) {
  if (bytes.readUInt32BE(0) !== 0xedabeedb) throw new Error('no RPM lead');
  const signature = readHeader(bytes, LEAD_BYTES);
  const header = readHeader(bytes, Math.ceil(signature.end / 8) * 8);
  const text = (tag: keyof typeof TAGS): string => header.texts.get(TAGS[tag]) ?? '';
  return {
    name: text('name'),
    version: text('version'),
    os: text('os'),
    arch: text('arch'),
    preRemove: text('preRemove'),
    files: readFiles(zstdDecompressSync(bytes.subarray(header.end))),
  };
}
