import dgram from 'node:dgram';
import net from 'node:net';
import type { UdpParams } from '@svc/contracts/tests/params/network';
import { splitHostPort } from '@svc/contracts/tests/target';
import { codeOf } from '../../session-failure.ts';
import { checkBounds, note } from '../checks/assert.ts';
import { checkExpression } from '../checks/expression.ts';
import { authorityOf, connectFailure, findAddresses } from '../connect/dial.ts';
import { judgeInTurn, noTurnInTime } from '../cpu.ts';
import { beginPhase, endPhase, type Run } from '../run.ts';
import { RunFailure, type Settle, waitOn } from '../run-failure.ts';
import { bytesOf } from './byte-text.ts';
import { checkText, expectsText, isThere, textOfReply } from './expect-text.ts';
import { createLooking, type Looking } from './looking.ts';
import { marginOf } from './margin.ts';

/** How long silence is waited for where silence is good: "port unreachable" comes within a round trip. */
const SILENCE_MS = 1000;
const MAX_DATAGRAMS = 100;

type Assertions = UdpParams['assertions'];

const expectsAnswer = (assertions: Assertions): boolean => assertions.expect_answer || expectsText(assertions);

/** Error of a connected socket: what came back by ICMP. */
function udpFailure(error: unknown, where: string): RunFailure {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED')
    return new RunFailure('port_unreachable', `${where} says that the port is unreachable: nothing listens there.`);
  if (code === 'EMSGSIZE') return new RunFailure('too_large', `The datagram is too large for the way to ${where}.`);
  return connectFailure(code, where);
}

interface Exchange {
  readonly address: string;
  readonly port: number;
  readonly out: Buffer;
  readonly assertions: Assertions;
}

/** Looks at one datagram after the other, in the order in which they came. */
function lookAtEach(run: Run, came: Buffer[], { assertions, done, fail }: { assertions: Assertions } & Settle<void>): Looking {
  let looked = 0;
  const looking = createLooking(run, {
    quietMs: 0,
    isThere: () => {
      const text = run.redactor.redact((came[looked] ?? Buffer.alloc(0)).toString('utf8'));
      looked += 1;
      if (looked < came.length) looking.note(false);
      return isThere(text, assertions);
    },
    onFound: () => {
      // It is the one that is judged.
      came.length = looked;
      done();
    },
    onFailed: fail,
  });
  return looking;
}

/** The datagrams that came back, until one is as expected; none where silence was long enough. */
async function exchange(run: Run, { address, port, out, assertions }: Exchange): Promise<Buffer[]> {
  const where = authorityOf(address, port);
  const socket = dgram.createSocket(net.isIPv6(address) ? 'udp6' : 'udp4');
  const came: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;
  let looking: Looking | undefined;
  const leftMs = Math.max(1, run.startedMs + run.timeoutMs - performance.now() - marginOf(run.timeoutMs));
  const waitMs = expectsAnswer(assertions) ? leftMs : Math.min(SILENCE_MS, leftMs);
  try {
    await waitOn<void>(run.signal, ({ done, fail }) => {
      looking = lookAtEach(run, came, { assertions, done, fail });
      socket.on('error', (error) => fail(udpFailure(error, where)));
      socket.on('message', (message) => {
        if (came.length === 0) endPhase(run);
        if (came.length >= MAX_DATAGRAMS) return;
        came.push(message);
        looking?.note(true);
        if (came.length >= MAX_DATAGRAMS) done();
      });
      // Connected: only this peer is heard, and what ICMP says of it arrives as an error.
      socket.connect(port, address, (error?: Error) => {
        if (error) return fail(udpFailure(error, where));
        beginPhase(run, 'first_byte');
        socket.send(out, (failure) => failure && fail(udpFailure(failure, where)));
        timer = setTimeout(() => (run.turns > 0 ? fail(noTurnInTime()) : done()), waitMs);
      });
      return () => undefined;
    });
    return came;
  } catch (error) {
    // The run's own limit came before the timer: silence all the same.
    if (!run.signal.aborted || run.tools.signal?.aborted) throw error;
    return came;
  } finally {
    clearTimeout(timer);
    looking?.stop();
    socket.close();
  }
}

export async function runUdp(run: Run, target: string, params: UdpParams): Promise<void> {
  const { host = target, port = 0 } = splitHostPort(target) ?? {};
  const { assertions } = params;
  const fault = assertions.expect_matches === undefined ? undefined : checkExpression(assertions.expect_matches);
  if (fault !== undefined) throw new RunFailure('internal', fault);
  const out = bytesOf(run, params.send, host);
  const [address = host] = await findAddresses(run, { host, family: params.family });
  Object.assign(run, { address, port });
  const came = await exchange(run, { address, port, out, assertions });
  // Silence has no time of its own.
  if (came.length === 0) run.current = undefined;
  run.figures.bytes = came.reduce((sum, { length }) => sum + length, 0);
  if (came.length === 0 && expectsAnswer(assertions))
    throw new RunFailure(
      'no_answer',
      `${authorityOf(address, port)} does not answer: silence, not even that the port is unreachable.`,
    );
  const last = came.at(-1) ?? Buffer.alloc(0);
  await judgeInTurn(run, () => {
    const text = textOfReply(run, last);
    if (assertions.expect_answer)
      note(run, { rule: 'expect_answer', wanted: 'an answer', got: `${last.length} bytes`, passed: came.length > 0 });
    checkText(run, text, assertions);
    checkBounds(run, assertions);
  });
}
