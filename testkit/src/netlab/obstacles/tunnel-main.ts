/** One end of a VPN: packets of a tun device inside UDP, unencrypted. argv: interface, and the far end's address where it is known. */
import dgram from 'node:dgram';
import { serveControl } from '../control.ts';
import { openTunDevice } from './tun-device.ts';
import { TUNNEL_PORT, type TunnelSettings } from './vpn.ts';

const [name = '', far] = process.argv.slice(2);
const settings: { delayMs: number; lossRatio: number } = { delayMs: 0, lossRatio: 0 };
const device = openTunDevice(name);
const socket = dgram.createSocket('udp4');
let peer = far === undefined ? undefined : { address: far, port: TUNNEL_PORT };

/** Late or never, as the settings have it. */
function pass(packet: Buffer, send: (packet: Buffer) => void): void {
  if (Math.random() < settings.lossRatio) return;
  if (settings.delayMs === 0) send(packet);
  else setTimeout(send, settings.delayMs, Buffer.from(packet));
}

socket.on('error', () => undefined);
socket.on('message', (packet, from) => {
  // The end that waits learns whom to answer.
  peer ??= { address: from.address, port: from.port };
  pass(packet, (one) => device.send(one));
});
device.listen((packet) => {
  const to = peer;
  if (to) pass(packet, (one) => socket.send(Buffer.from(one), to.port, to.address));
});
socket.bind(TUNNEL_PORT, () => serveControl((setting) => void Object.assign(settings, setting as TunnelSettings)));
