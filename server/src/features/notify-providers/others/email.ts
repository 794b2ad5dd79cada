import type { Verb } from '@svc/contracts/notify/kinds';
import type { Connection, Message, Outcome, Provider } from '#kernel';
import { field, readConnection } from '../calls/connection.ts';
import { type About, newObjectOnly, nothingToDo, type ProviderDeps, unasked } from '../context.ts';
import { mailOf } from './email-texts.ts';
import { createSmtp } from './smtp.ts';

/** Mail over SMTP with TLS (docs/notify/email.md). */

const FIELDS = [
  field('url', 'Mail server', {
    help: 'smtps://host:465 speaks TLS from its first byte, smtp://host:587 begins it with STARTTLS. Nothing is sent without.',
    ...{ is_required: true, placeholder: 'smtps://mail.example.com:465' },
  }),
  field('credential', 'User and password', {
    help: 'user:password. Empty: the server takes mail from this address without.',
    is_secret: true,
    placeholder: 'user:password',
  }),
  field('from', 'From', {
    help: 'An address that the server lets this account send from.',
    ...{ is_required: true, placeholder: 'network@example.com' },
  }),
  field('to', 'To', {
    help: 'Addresses, separated by commas; 50 at most.',
    ...{ is_required: true, placeholder: 'oncall@example.com' },
  }),
];
const ADDRESS = /^[^\s@<>(),;:"[\]\\]+@[^\s@<>(),;:"[\]\\]+\.[^\s@<>(),;:"[\]\\]+$/;
const MOST_RECIPIENTS = 50;

const recipientsOf = ({ settings }: Connection): string[] =>
  (settings.to ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

const ABOUT: About = {
  ...{ kind: 'email', name: 'E-mail', fields: FIELDS, testWarning: 'A test sends two mails to these addresses.' },
  capabilities: () => ({
    ...{ hasKey: false, canBeFound: false, canUpdate: false, canAcknowledge: false, canResolve: true },
    ...{ reopens: 'new', confirms: false, canLook: false },
  }),
  pace: () => ({ perMinute: 30, concurrency: 2, burst: 10, gathers: 20 }),
  parse: (given) => {
    const { to, faults } = readConnection(given, { fields: FIELDS, schemes: ['smtps:', 'smtp:'] });
    const { from = '' } = to.settings;
    if (from && !ADDRESS.test(from)) faults.add('from', 'From is one address, such as network@example.com.');
    const recipients = recipientsOf(to);
    const wrong = recipients.find((one) => !ADDRESS.test(one));
    if (wrong !== undefined) faults.add('to', `${wrong.slice(0, 80)} is no address.`);
    if (recipients.length > MOST_RECIPIENTS) faults.add('to', `There are more than ${MOST_RECIPIENTS} addresses.`);
    if (to.credential && !/^[^:]+:./s.test(to.credential)) faults.add('credential', 'The credential is user:password.');
    faults.throwAny();
    return to;
  },
};

export function createEmail(deps: ProviderDeps): Provider {
  const smtp = createSmtp(deps);
  const send =
    (verb: Verb) =>
    async (to: Connection, message: Message): Promise<Outcome> => {
      const from = to.settings.from ?? '';
      const mail = mailOf(message, verb, from.split('@').at(-1) ?? 'localhost');
      return await smtp.send(to, { ...mail, from, to: recipientsOf(to) });
    };
  return {
    ...ABOUT,
    ...unasked,
    check: (to) => smtp.check(to),
    open: send('open'),
    update: nothingToDo,
    acknowledge: nothingToDo,
    resolve: send('resolve'),
    reopen: newObjectOnly,
  };
}
