import type net from 'node:net';
import type { TcpParams } from '@svc/contracts/tests/params/network';
import { splitHostPort } from '@svc/contracts/tests/target';
import { checkBounds, checkCertificateDays } from '../checks/assert.ts';
import { checkExpression } from '../checks/expression.ts';
import { brokenFailure, dial } from '../connect/dial.ts';
import { secure } from '../connect/secure.ts';
import { trustFor } from '../connect/trust.ts';
import { judgeInTurn, metered } from '../cpu.ts';
import { beginPhase, endPhase, type Run } from '../run.ts';
import { RunFailure, waitOn } from '../run-failure.ts';
import { bytesOf } from './byte-text.ts';
import { checkText, expectsText, isThere, textOfReply } from './expect-text.ts';
import { createLooking } from './looking.ts';
import { startTls } from './start-tls.ts';

const MAX_BYTES = 65_536;
/** What came is looked at when it is a quarter more than last time, or when nothing came for so long. */
const GROWTH = 1.25;
const QUIET_MS = 25;
/** With secrets only then: between two pieces one may be there by half, and half of it is not known again. */
const QUIET_WITH_SECRETS_MS = 300;

/** Reads until what is expected is there, the other side closes, or it is too much. */
function readExpected(run: Run, socket: net.Socket, assertions: TcpParams['assertions']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let nextLook = 1;
  let isWhole = false;
  const hasSecrets = run.redactor.values().length > 0;
  const all = (): Buffer => Buffer.concat(chunks);
  let stop = (): void => undefined;
  const reading = waitOn<Buffer>(run.signal, ({ done, fail }) => {
    const end = (): void => {
      isWhole = true;
      done(all());
    };
    const looking = createLooking(run, {
      quietMs: hasSecrets ? QUIET_WITH_SECRETS_MS : QUIET_MS,
      isThere: () => {
        nextLook = bytes * GROWTH;
        return isThere(run.redactor.redact(all().toString('utf8')), assertions);
      },
      onFound: end,
      onFailed: fail,
    });
    stop = looking.stop;
    socket.on('data', (chunk: Buffer) => {
      if (bytes === 0) beginPhase(run, 'transfer');
      chunks.push(chunk);
      bytes += chunk.length;
      run.lastByteMs = performance.now();
      if (bytes > MAX_BYTES) {
        socket.pause();
        fail(new RunFailure('too_large', `Nothing of what is expected is in the first ${MAX_BYTES / 1024} KiB.`));
      } else looking.note(!hasSecrets && bytes >= nextLook);
    });
    socket.once('end', end);
    socket.once('close', end);
    socket.on('error', (error) => fail(brokenFailure(error, 'the answer was waited for')));
    return () => undefined;
  });
  return reading.finally(() => {
    stop();
    run.figures.bytes = bytes;
    // Also where it is never complete: what came is what a person wants to see.
    metered(run, () => textOfReply(run, all(), isWhole));
  });
}

async function talk(
  run: Run,
  socket: net.Socket,
  { out, params }: { out: Buffer | undefined; params: TcpParams },
): Promise<void> {
  const { assertions } = params;
  if (!out && !expectsText(assertions)) return;
  beginPhase(run, 'first_byte');
  if (out)
    await waitOn<void>(run.signal, ({ done, fail }) => {
      socket.on('error', (error) => fail(brokenFailure(error, 'the text was sent')));
      socket.write(out, () => done());
      return () => undefined;
    });
  const answer = expectsText(assertions) ? await readExpected(run, socket, assertions) : Buffer.alloc(0);
  // When it was there, and not when it was seen.
  endPhase(run, answer.length > 0 ? run.lastByteMs : undefined);
  await judgeInTurn(run, () => checkText(run, textOfReply(run, answer), assertions));
}

export async function runTcp(run: Run, target: string, params: TcpParams): Promise<void> {
  const { host = target, port = 0 } = splitHostPort(target) ?? {};
  const { security, tls: wish } = params;
  const fault = params.assertions.expect_matches === undefined ? undefined : checkExpression(params.assertions.expect_matches);
  if (fault !== undefined) throw new RunFailure('internal', fault);
  if (security !== 'none' && wish.server_name !== undefined) run.readers = [wish.server_name];
  run.acceptsInvalid = security !== 'none' && wish.accept_invalid;
  const context = security === 'none' ? undefined : trustFor(run, wish, host);
  const out = params.send === undefined ? undefined : bytesOf(run, params.send, host);
  const socket = await dial(run, { host, port, family: params.family });
  try {
    if (context && security !== 'none' && security !== 'tls') {
      beginPhase(run, 'tls');
      await startTls(socket, security, run.signal);
    }
    const over = context
      ? await secure(run, socket, { context, name: wish.server_name ?? host, acceptInvalid: wish.accept_invalid })
      : socket;
    await talk(run, over, { out, params });
  } finally {
    socket.destroy();
  }
  checkBounds(run, params.assertions);
  checkCertificateDays(run, params.assertions.certificate_days);
}
