import dgram from 'node:dgram';
import net from 'node:net';
import { codeOf } from '../../session-failure.ts';
import { authorityOf, brokenFailure, connectFailure } from '../connect/dial.ts';
import { RunFailure, waitOn } from '../run-failure.ts';
import { type Query, type Response, readResponse } from './query.ts';

/** A lost datagram is sent again, as every resolver does. */
const RESEND_MS = 1000;
/** A server that floods is given up on. */
const MAX_WRONG = 1000;

export interface Server {
  readonly address: string;
  readonly port: number;
}

function wrongAnswers(where: string, wrong: string, count: number): RunFailure {
  return new RunFailure(
    'protocol',
    `${where} gives no answer to what was asked: ${wrong}${count > 1 ? ` (${count} times)` : ''}.`,
  );
}

/** One query by UDP. What is no answer to it is passed over, since anybody may send such; where nothing else came that is told. */
export async function askUdp({ address, port }: Server, query: Query, signal: AbortSignal): Promise<Response> {
  const socket = dgram.createSocket(net.isIPv6(address) ? 'udp6' : 'udp4');
  const where = authorityOf(address, port);
  let wrong: string | undefined;
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await waitOn<Response>(signal, ({ done, fail }) => {
      const onError = (error: unknown): void => {
        const code = codeOf(error);
        fail(
          code === 'ECONNREFUSED'
            ? new RunFailure('port_unreachable', `${where} says that the port is unreachable: no name server listens there.`)
            : connectFailure(code, where),
        );
      };
      socket.on('error', onError);
      socket.on('message', (bytes) => {
        const response = readResponse(query, bytes);
        if (!('wrong' in response)) return done(response);
        wrong = response.wrong;
        count += 1;
        if (count >= MAX_WRONG) fail(wrongAnswers(where, wrong, count));
      });
      socket.connect(port, address, (error?: Error) => {
        if (error) return onError(error);
        const send = (): void => socket.send(query.bytes, (failure) => failure && onError(failure));
        send();
        timer = setInterval(send, RESEND_MS);
      });
      return () => undefined;
    });
  } catch (error) {
    if (!signal.aborted || error instanceof RunFailure) throw error;
    throw wrong === undefined
      ? new RunFailure('no_answer', `The name server ${where} does not answer.`)
      : wrongAnswers(where, wrong, count);
  } finally {
    clearInterval(timer);
    socket.close();
  }
}

/** One query over a connection that stands. */
export async function askStream(
  socket: net.Socket,
  query: Query,
  { where, signal }: { where: string; signal: AbortSignal },
): Promise<Response> {
  const chunks: Buffer[] = [];
  const length = Buffer.alloc(2);
  length.writeUInt16BE(query.bytes.length);
  return await waitOn<Response>(signal, ({ done, fail }) => {
    const closed = (): void => fail(new RunFailure('closed', `${where} closed the connection without an answer.`));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      if (bytes.length < 2 || bytes.length < 2 + bytes.readUInt16BE(0)) return;
      const response = readResponse(query, bytes.subarray(2, 2 + bytes.readUInt16BE(0)));
      if ('wrong' in response) fail(wrongAnswers(where, response.wrong, 1));
      else done(response);
    });
    socket.once('end', closed);
    socket.once('close', closed);
    socket.on('error', (error) => fail(brokenFailure(error, 'the answer was waited for')));
    socket.write(Buffer.concat([length, query.bytes]));
    return () => undefined;
  });
}
