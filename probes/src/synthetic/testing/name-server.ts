import dgram from 'node:dgram';
import packet from 'dns-packet';

export type Answerer = (query: packet.Packet, send: (answer: Buffer) => void) => void;

/** A name server on loopback that answers as it is told; `address` is what a resolver takes. */
export async function startNameServer(answer: Answerer) {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (bytes, from) => {
    try {
      answer(packet.decode(bytes), (reply) => socket.send(reply, from.port, from.address));
    } catch {
      // What it cannot read it does not answer.
    }
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  return { address: `127.0.0.1:${port}`, port, close: () => new Promise<void>((resolve) => socket.close(() => resolve())) };
}

/** The answer to a query for an A record; without addresses: there is no such name. */
export const answerA = (query: packet.Packet, addresses: readonly string[]): Buffer => {
  const [question] = query.questions ?? [];
  const isA = question?.type === 'A';
  return packet.encode({
    type: 'response',
    id: query.id ?? 0,
    flags: packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE | (addresses.length === 0 ? 3 : 0),
    questions: query.questions ?? [],
    answers: isA ? addresses.map((data) => ({ type: 'A' as const, name: question.name, ttl: 0, data })) : [],
  });
};
