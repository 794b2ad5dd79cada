import dgram from 'node:dgram';
import net from 'node:net';

const ANY_PORT = 33434;
const LIMIT_MS = 500;

/** The address that the system would send from: a UDP socket that is connected and never written to. Undefined where there is no route. */
export function findSource(destination: string): Promise<string | undefined> {
  const socket = dgram.createSocket(net.isIPv6(destination) ? 'udp6' : 'udp4');
  return new Promise((resolve) => {
    const settle = (address: string | undefined): void => {
      clearTimeout(timer);
      socket.removeAllListeners('error').on('error', () => undefined);
      socket.close();
      resolve(address);
    };
    const timer = setTimeout(() => settle(undefined), LIMIT_MS);
    socket.once('error', () => settle(undefined));
    socket.connect(ANY_PORT, destination, () => settle(socket.address().address));
  });
}
