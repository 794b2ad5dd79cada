/** The polynomial of zlib's crc32, bits reversed: x^0 is the highest bit. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x8000_0000;

/** The product of two polynomials modulo that one. */
function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) !== 0 ? (factor >>> 1) ^ POLYNOMIAL : factor >>> 1;
  }
  return product;
}

/** x to the power of 8 times 2^i: what i-th bit of a length in bytes stands for. */
const POWERS = [0x0080_0000];
while (POWERS.length < 32) {
  const last = POWERS.at(-1) as number;
  POWERS.push(multiply(last, last));
}

/** The crc32 of bytes followed by others, from that of each and how many the others are, below 2^32. */
export function joinCrc32(crc: number, others: { crc: number; bytes: number }): number {
  let shifted = crc;
  for (let i = 0, left = others.bytes; left > 0; i++, left = Math.floor(left / 2))
    if (left % 2 === 1) shifted = multiply(POWERS[i] as number, shifted);
  return (shifted ^ others.crc) >>> 0;
}
