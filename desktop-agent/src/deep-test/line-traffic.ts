import { createHash, type Hash } from 'node:crypto';

/** What one stream of a test carried one way, one message behind the other. */
export interface LineTraffic {
  stream: 'load' | 'echo';
  direction: 'sent' | 'received';
  messages: number;
  bytes: number;
  /** Hex. */
  sha256: string;
}

/** Both ends of a method as it is called: what turns messages into bytes and back. */
interface Method<T> {
  requestSerialize(message: T): Buffer;
  responseDeserialize(bytes: Buffer): T;
}

interface Count {
  messages: number;
  bytes: number;
  readonly hash: Hash;
}

const add = (count: Count, bytes: Uint8Array): void => {
  count.messages += 1;
  count.bytes += bytes.length;
  count.hash.update(bytes);
};

/** The same method, counting the very bytes of its messages as they are handed over and come in; `traffic` ends the count. */
export function meter<T>(stream: LineTraffic['stream'], method: Method<T>): Method<T> & { traffic(): LineTraffic[] } {
  const [sent, received] = [0, 1].map((): Count => ({ messages: 0, bytes: 0, hash: createHash('sha256') })) as [Count, Count];
  return {
    requestSerialize(message) {
      const bytes = method.requestSerialize(message);
      add(sent, bytes);
      return bytes;
    },
    responseDeserialize(bytes) {
      add(received, bytes);
      return method.responseDeserialize(bytes);
    },
    traffic: () =>
      (
        [
          ['sent', sent],
          ['received', received],
        ] as const
      ).map(([direction, { messages, bytes, hash }]) => ({ stream, direction, messages, bytes, sha256: hash.digest('hex') })),
  };
}
