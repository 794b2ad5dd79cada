import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Connection, Outcome } from '#kernel';
import { sayOf, secretsOf } from '../calls/ask.ts';
import type { ProviderDeps } from '../context.ts';
import type { Secrets } from '../domain/hide-secrets.ts';
import type { Mail } from './email-texts.ts';

/** One mail over one connection: opened by the product's outbound client, secured before anything of ours is said. */

const LIMIT_MS = 30_000;
const STEP_MS = 10_000;
/** Of mail: submission, with TLS at once, and between servers. */
const USUAL_PORTS = [587, 465, 25];
const MOST_SAID_RECIPIENTS = 5;
/** Of one answer, as of those over HTTP. */
const MOST_BYTES = 65_536;

interface SmtpError {
  code?: string | undefined;
  command?: string | undefined;
  responseCode?: number | undefined;
  response?: string | undefined;
  message: string;
}

interface Step {
  /** Whether the mail itself was on its way: from here on nobody knows. */
  begun: boolean;
}

const isAuth = ({ code, responseCode = 0 }: SmtpError): boolean =>
  (code === 'EAUTH' || code === 'ENOAUTH' || [530, 534, 535, 538].includes(responseCode)) &&
  !(responseCode >= 400 && responseCode < 500);

function toOutcome(error: SmtpError, { begun }: Step, secrets: Secrets): Outcome {
  const { responseCode = 0, response, message } = error;
  const said = sayOf(response ?? message, secrets);
  if (isAuth(error)) return { is: 'broken_credential', said };
  if (responseCode >= 500) return { is: 'final', said };
  if (responseCode >= 400) return { is: 'retry', afterMs: null, said };
  return begun ? { is: 'ambiguous', said } : { is: 'retry', afterMs: null, said };
}

/** A call of the library that ends by its callback, or by an error of the connection. */
function wait<T>(connection: SMTPConnection, begin: (done: (error: unknown, result?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    connection.once('error', reject);
    connection.once('end', () => reject(new Error('The connection ended.')));
    begin((error, result) => (error ? reject(error) : resolve(result as T)));
  });
}

interface Login {
  user: string;
  pass: string;
}

function readLogin({ credential }: Connection): Login | undefined {
  const colon = credential.indexOf(':');
  return colon <= 0 ? undefined : { user: credential.slice(0, colon), pass: credential.slice(colon + 1) };
}

export interface FullMail extends Mail {
  from: string;
  to: readonly string[];
}

async function compose({ from, to, subject, text, html, messageId, threadId }: FullMail): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const thread = threadId === messageId ? {} : { inReplyTo: threadId, references: threadId };
  // Nobody answers it: no out-of-office either.
  const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
  const mail = {
    from,
    to: [...to],
    subject,
    text,
    html,
    messageId,
    ...thread,
    headers,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return await new MailComposer(mail).compile().build();
}

export function createSmtp({ outbound }: ProviderDeps) {
  /** Connected, secured and logged in; then `act`, and the end of the connection whatever came of it. */
  const withServer = async (
    to: Connection,
    act: (connection: SMTPConnection, step: Step) => Promise<Outcome>,
  ): Promise<Outcome> => {
    const { hostname, port, protocol } = new URL(to.url);
    const host = hostname.replace(/^\[|\]$/g, '');
    const isSecure = protocol === 'smtps:';
    const opened = await outbound.connect({
      host,
      port: Number(port) || (isSecure ? 465 : 587),
      usualPorts: USUAL_PORTS,
      purpose: 'connector',
      share: to.tenant,
      timeoutMs: STEP_MS,
    });
    const secrets = secretsOf(to);
    if (!opened.ok) {
      const isRefused = opened.fault === 'address_refused' || opened.fault === 'url';
      return isRefused ? { is: 'broken_credential', said: opened.message } : { is: 'retry', afterMs: null, said: opened.message };
    }
    const step: Step = { begun: false };
    const { default: Smtp } = await import('nodemailer/lib/smtp-connection');
    const connection = new Smtp({
      ...{ host, connection: opened.socket, secure: isSecure, requireTLS: !isSecure },
      tls: { ca: [...opened.ca], minVersion: 'TLSv1.2', rejectUnauthorized: true },
      maxResponseSize: MOST_BYTES,
      ...{ greetingTimeout: STEP_MS, socketTimeout: STEP_MS, connectionTimeout: STEP_MS },
    });
    const limit = setTimeout(() => opened.socket.destroy(new Error('The mail server did not answer in time.')), LIMIT_MS);
    connection.on('error', () => undefined);
    try {
      await wait(connection, (done) => connection.connect(done));
      const login = readLogin(to);
      if (login) await wait(connection, (done) => connection.login(login, done));
      return await act(connection, step);
    } catch (error) {
      return toOutcome(error as SmtpError, step, secrets);
    } finally {
      clearTimeout(limit);
      connection.close();
      opened.socket.destroy();
    }
  };
  const check = (to: Connection): Promise<Outcome> =>
    withServer(to, async () => ({ is: 'sent', reference: null, said: 'The server takes mail of this account.' }));
  const send = async (to: Connection, mail: FullMail): Promise<Outcome> => {
    const bytes = await compose(mail);
    return await withServer(to, async (connection, step) => {
      // Read only when the server has said that it takes the mail.
      const body = Readable.from(
        (async function* () {
          step.begun = true;
          yield bytes;
        })(),
      );
      const envelope = { from: mail.from, to: [...mail.to] };
      const sent = await wait<{ response: string; rejected: string[] }>(connection, (done) =>
        connection.send(envelope, body, done as never),
      );
      const refused = sent.rejected.slice(0, MOST_SAID_RECIPIENTS).join(', ');
      const said = sayOf(`${sent.response}${refused ? `; not taken for ${refused}` : ''}`, secretsOf(to));
      return { is: 'sent', reference: { id: mail.threadId, label: null, url: null }, said };
    });
  };
  return { check, send };
}
