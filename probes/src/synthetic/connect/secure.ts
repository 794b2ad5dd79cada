import net from 'node:net';
import tls from 'node:tls';
import { codeOf } from '../../session-failure.ts';
import { beginPhase, endPhase, nowOf, type Run } from '../run.ts';
import { RunFailure, waitOn } from '../run-failure.ts';
import { judgeCertificate } from './certificate-facts.ts';
import { brokenFailure } from './dial.ts';

/** What OpenSSL says when what answers speaks something else. */
const NO_TLS =
  /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL|HTTP_REQUEST|RECORD_LAYER_FAILURE|UNEXPECTED_MESSAGE|BAD_RECORD_TYPE/;

const WORDS: readonly (readonly [RegExp, string])[] = [
  [NO_TLS, 'What answers there speaks no TLS'],
  [/CERTIFICATE_REQUIRED|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE/, 'The server wants another client certificate, or one at all'],
  [/UNRECOGNIZED_NAME/, 'The server does not serve this name'],
  [/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/, 'The server speaks no version of TLS from 1.2 on'],
  [/HANDSHAKE_FAILURE|NO_SHARED_CIPHER/, 'The server refused the handshake'],
];

export function tlsFailure(error: unknown): RunFailure {
  const code = codeOf(error);
  if (!code.startsWith('ERR_SSL') && !code.startsWith('ERR_TLS') && code !== 'EPROTO')
    return brokenFailure(error, 'the TLS handshake was under way');
  const words = WORDS.find(([pattern]) => pattern.test(code))?.[1] ?? 'The TLS handshake failed';
  return new RunFailure('tls', `${words} (${code}).`);
}

export interface SecureWish {
  readonly context: tls.SecureContext;
  /** Name or address that is asked for and checked. */
  readonly name: string;
  /** A certificate that does not hold is told, and nothing else. */
  readonly acceptInvalid: boolean;
  readonly protocols?: readonly string[];
}

/** A full handshake, never a resumed one; facts of the certificate are the run's also where it is refused. Whoever calls destroys. */
export async function secure(run: Run, socket: net.Socket, wish: SecureWish): Promise<tls.TLSSocket> {
  beginPhase(run, 'tls');
  const secured = await waitOn<tls.TLSSocket>(run.signal, ({ done, fail }) => {
    const made = tls.connect({
      socket,
      ...(net.isIP(wish.name) === 0 ? { servername: wish.name } : {}),
      secureContext: wish.context,
      ...(wish.protocols ? { ALPNProtocols: [...wish.protocols] } : {}),
      // Node would drop the certificate with the connection; both are checked below, before anything is sent.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    });
    made.on('error', (error) => fail(tlsFailure(error)));
    made.once('close', () => fail(new RunFailure('closed', 'The other side closed the connection within the TLS handshake.')));
    made.once('secureConnect', () => done(made));
    return () => made.destroy();
  });
  endPhase(run);
  const judged = judgeCertificate(secured, wish.name, nowOf(run));
  if (judged) {
    run.certificate = judged.facts;
    run.figures['certificate.days'] = judged.days;
  }
  const fault = judged ? judged.facts.fault : 'the server shows none';
  if (fault === undefined || wish.acceptInvalid) return secured;
  secured.destroy();
  throw new RunFailure('certificate', `The certificate of ${wish.name} is not accepted: ${fault}.`);
}
