/** Whether bytes p to end are UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing over U+10FFFF. */
export function isUtf8(bytes: Uint8Array, p: number, end: number): boolean {
  while (p < end) {
    const lead = bytes[p++] as number;
    if (lead < 0x80) continue;
    const more = lead < 0xc2 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf5 ? 3 : 0;
    if (more === 0 || p + more > end) return false;
    const second = bytes[p] as number;
    if (lead === 0xe0 && second < 0xa0) return false;
    if (lead === 0xed && second > 0x9f) return false;
    if (lead === 0xf0 && second < 0x90) return false;
    if (lead === 0xf4 && second > 0x8f) return false;
    for (const until = p + more; p < until; p += 1) if (((bytes[p] as number) & 0xc0) !== 0x80) return false;
  }
  return true;
}
