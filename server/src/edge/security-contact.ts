import type { FastifyInstance, FastifyRequest } from 'fastify';

export interface SecurityContactDeps {
  /** Mailbox for reports; undefined where the operator named none. */
  securityContact: string | undefined;
  /** Origin of SVC_PUBLIC_URL; undefined where nobody set it, and the reader's own way here is named instead. */
  publicUrl: string | undefined;
  now: () => number;
}

const FILE = '/.well-known/security.txt';
const POLICY = '/docs/security';
const DAY_MS = 86_400_000;
/** RFC 9116 asks for less than a year; the file is made anew for each reader, so it never runs out. */
const LIFE_MS = 180 * DAY_MS;

const describePolicy = (contact: string): string => `How to report a vulnerability

${contact}

Say what you did, what you saw and the version of the server. Do not test with other people's data, do not disturb the
service, and keep the report private until there is a fix. Your report is answered by the people who run this server; a fault of the software
itself is passed on to its maintainers.
`;

/** /.well-known/security.txt (RFC 9116) and the page that it names: whatever is in it can be reached. */
export function mountSecurityContact(app: FastifyInstance, { securityContact, publicUrl, now }: SecurityContactDeps): void {
  const options = { config: { rate: 'pages' as const }, logLevel: 'silent' as const };
  const mailbox = securityContact?.replace(/^mailto:/, '');
  const originOf = ({ host }: FastifyRequest): string => publicUrl ?? `https://${host.replace(/[^\w.:[\]-]/g, '')}`;

  if (!mailbox) app.log.warn('SVC_SECURITY_CONTACT is not set: reports of vulnerabilities have no mailbox to go to');

  app.get(FILE, options, async (request, reply) => {
    const origin = originOf(request);
    const expires = new Date(Math.floor((now() + LIFE_MS) / DAY_MS) * DAY_MS).toISOString();
    const fields = [
      `Contact: ${mailbox ? `mailto:${mailbox}` : `${origin}${POLICY}`}`,
      `Expires: ${expires}`,
      'Preferred-Languages: en',
      `Canonical: ${origin}${FILE}`,
      `Policy: ${origin}${POLICY}`,
    ];
    return reply.type('text/plain; charset=utf-8').send(`${fields.join('\n')}\n`);
  });

  app.get(POLICY, options, async (_request, reply) => {
    const contact = mailbox
      ? `Write to ${mailbox}.`
      : 'The operator of this server has named no mailbox. Write to the people who gave you access to it, privately.';
    return reply.type('text/plain; charset=utf-8').send(describePolicy(contact));
  });
}
