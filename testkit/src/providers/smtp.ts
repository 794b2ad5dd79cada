import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import tls from 'node:tls';
import type { KeptObject } from './kept.ts';

/** A mail server with TLS from the first byte or by STARTTLS, PLAIN log-in after that alone, and faults at each step. */
export interface SmtpOptions {
  tls: { cert: string | Buffer; key: string | Buffer };
  host?: string;
  /** TLS from the first byte; else STARTTLS, without which nothing is taken. */
  isImplicit: boolean;
  user?: string;
  password?: string;
}

/** Answered in place of the step's own answer; `cut` breaks the connection there, `cut_after` once the mail is kept. */
export type SmtpFault =
  | { at: 'greeting' | 'login' | 'recipient' | 'data' | 'end'; answer: string }
  | { at: 'greeting' | 'data' | 'end'; cut: true }
  | { at: 'end'; cutAfter: true }
  | { at: 'greeting' | 'end'; hang: true };

export interface ReceivedMail {
  from: string;
  to: string[];
  /** As it came, headers and all. */
  raw: string;
  isSecure: boolean;
}

export interface SmtpServer {
  url: string;
  port: number;
  mails: readonly ReceivedMail[];
  breaches: readonly string[];
  /** These come next, one a connection. */
  fail(...faults: readonly SmtpFault[]): void;
  objects(): readonly KeptObject[];
  close(): Promise<void>;
}

interface Session {
  socket: Socket;
  isSecure: boolean;
  isKnown: boolean;
  from: string;
  to: string[];
  data: string | undefined;
  fault: SmtpFault | undefined;
}

interface Shop {
  options: SmtpOptions;
  mails: ReceivedMail[];
  breaches: string[];
}

/** True where the fault took the step's place. */
function spoil(session: Session, at: SmtpFault['at']): boolean {
  const { fault, socket } = session;
  if (fault?.at !== at || 'cutAfter' in fault) return false;
  if ('cut' in fault) socket.destroy();
  else if ('answer' in fault) socket.write(`${fault.answer}\r\n`);
  return true;
}

const say = ({ socket }: Session, line: string): void => void socket.write(`${line}\r\n`);

function takeLogin({ options, breaches }: Shop, session: Session, line: string): void {
  if (!session.isSecure) breaches.push('a password was sent without TLS');
  if (spoil(session, 'login')) return;
  const [, user, password] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
    .toString('utf8')
    .split('\0');
  session.isKnown = user === options.user && password === options.password;
  say(session, session.isKnown ? '235 2.7.0 Authentication successful' : '535 5.7.8 Authentication credentials invalid');
}

function takeCommand(shop: Shop, session: Session, line: string): void {
  const [verb = ''] = line.toUpperCase().split(/[ :]/);
  const { options, breaches } = shop;
  const extensions = session.isSecure ? ['AUTH PLAIN', '8BITMIME', 'SIZE 1000000'] : ['STARTTLS', '8BITMIME'];
  switch (verb) {
    case 'EHLO':
      for (const [place, one] of ['simulated', ...extensions].entries())
        say(session, `250${place === extensions.length ? ' ' : '-'}${one}`);
      return;
    case 'STARTTLS':
      say(session, '220 2.0.0 Ready to start TLS');
      return;
    case 'AUTH':
      takeLogin(shop, session, line);
      return;
    case 'MAIL':
      if (!session.isSecure) breaches.push('a mail was begun without TLS');
      if (options.user && !session.isKnown) {
        say(session, '530 5.7.0 Authentication required');
        return;
      }
      session.from = /<([^>]*)>/.exec(line)?.[1] ?? '';
      say(session, '250 2.1.0 Ok');
      return;
    case 'RCPT':
      if (spoil(session, 'recipient')) return;
      session.to.push(/<([^>]*)>/.exec(line)?.[1] ?? '');
      say(session, '250 2.1.5 Ok');
      return;
    case 'DATA':
      if (spoil(session, 'data')) return;
      session.data = '';
      say(session, '354 End data with <CR><LF>.<CR><LF>');
      return;
    case 'QUIT':
      say(session, '221 2.0.0 Bye');
      session.socket.end();
      return;
    default:
      say(session, verb === 'RSET' || verb === 'NOOP' ? '250 2.0.0 Ok' : '500 5.5.2 Not understood');
  }
}

function endMail({ mails }: Shop, session: Session): void {
  const { from, to, data = '', isSecure, fault, socket } = session;
  session.data = undefined;
  if (spoil(session, 'end')) return;
  mails.push({ from, to, raw: data.replace(/^\.\./gm, '.'), isSecure });
  if (fault?.at === 'end' && 'cutAfter' in fault) socket.destroy();
  else say(session, `250 2.0.0 Ok: queued as ${mails.length}`);
}

function serve(shop: Shop, session: Session): void {
  const { socket } = session;
  let rest = '';
  const take = (chunk: Buffer): void => {
    rest += chunk.toString('latin1');
    for (;;) {
      if (session.data !== undefined) {
        const end = rest.indexOf('\r\n.\r\n');
        if (end < 0) return;
        session.data = Buffer.from(rest.slice(0, end), 'latin1').toString('utf8');
        rest = rest.slice(end + 5);
        endMail(shop, session);
        continue;
      }
      const end = rest.indexOf('\r\n');
      if (end < 0) return;
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      takeCommand(shop, session, line);
      if (line.toUpperCase() === 'STARTTLS') {
        upgrade();
        return;
      }
    }
  };
  const upgrade = (): void => {
    socket.off('data', take);
    const secured = new tls.TLSSocket(socket, { isServer: true, ...shop.options.tls });
    secured.on('error', () => undefined);
    serve(shop, { ...session, socket: secured, isSecure: true });
  };
  socket.on('data', take);
}

/** Subjects and states of mails by thread, as a person's mailbox shows them. */
function toObjects(mails: readonly ReceivedMail[]): KeptObject[] {
  const headerOf = (raw: string, name: string): string =>
    new RegExp(`^${name}:(.*(?:\\r\\n[ \\t].*)*)`, 'im')
      .exec(raw)?.[1]
      ?.replace(/\r\n[ \t]/g, ' ')
      .trim() ?? '';
  return mails.map(({ raw }, place) => {
    const messageId = headerOf(raw, 'message-id');
    const key = /<(svc-[^.]+)\./.exec(messageId)?.[1] ?? '';
    const state = messageId.includes('.resolve.') ? 'resolved' : 'open';
    const id = String(place + 1);
    return { id, name: `mail ${id}`, key, state, title: headerOf(raw, 'subject'), text: raw, lines: [], atMs: place };
  });
}

export async function startSmtp(options: SmtpOptions): Promise<SmtpServer> {
  const shop: Shop = { options, mails: [], breaches: [] };
  const faults: SmtpFault[] = [];
  const open = new Set<Socket>();
  const begin = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
    const session: Session = {
      socket,
      isSecure: options.isImplicit,
      isKnown: false,
      from: '',
      to: [],
      data: undefined,
      fault: faults.shift(),
    };
    if (!spoil(session, 'greeting')) say(session, '220 simulated ESMTP');
    serve(shop, session);
  };
  const server = options.isImplicit ? tls.createServer({ ...options.tls }, begin) : net.createServer(begin);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.isImplicit ? 'smtps' : 'smtp'}://${options.host ?? '127.0.0.1'}:${port}`,
    port,
    mails: shop.mails,
    breaches: shop.breaches,
    fail: (...next) => void faults.push(...next),
    objects: () => toObjects(shop.mails),
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
