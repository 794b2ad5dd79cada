import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const element = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const size = body.length < 0x100 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts);
const integer = (bytes: Uint8Array): Buffer => element(0x02, bytes);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const utc = (at: Date): Buffer => element(0x17, Buffer.from(`${at.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`));

const ECDSA_SHA256 = sequence(hex('06082a8648ce3d040302'));
const COMMON_NAME = hex('0603550403');
const DAY_MS = 86_400_000;

/** A certificate that nobody needs to trust: Chromium is told to take any, and reaches this process alone. */
export function createSelfSigned(): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(element(0x31, sequence(COMMON_NAME, element(0x0c, Buffer.from('svc runner')))));
  const serial = randomBytes(8);
  serial[0] = 0x01;
  const toSign = sequence(
    element(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_SHA256,
    name,
    sequence(utc(new Date(Date.now() - DAY_MS)), utc(new Date(Date.now() + 7 * DAY_MS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = element(0x03, Buffer.from([0]), sign('sha256', toSign, privateKey));
  const body = sequence(toSign, ECDSA_SHA256, signature)
    .toString('base64')
    .match(/.{1,64}/g)
    ?.join('\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
