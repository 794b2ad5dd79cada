import type { Known } from './known.ts';

/** Two requests that would do, near to what was typed. */

interface Typed {
  said: ReadonlySet<string>;
  known: Known;
}

export function findExamples({ said, known }: Typed): [string, string] {
  const host = known.places.find(({ kind, hosts }) => kind === 'app' && hosts.length > 0)?.hosts[0] ?? 'shop.example';
  const web = `check every minute that https://${host}/ answers 200 within 800 ms`;
  if (said.has('ping') || said.has('trip') || said.has('loss') || said.has('jitter'))
    return ['ping 10.0.0.1 every 30 s', `ping ${host} every minute, less than 2 % loss`];
  if (said.has('resolve') || said.has('record') || said.has('nameserver'))
    return [`resolve ${host} every 5 minutes`, `MX record of ${host} by resolver 10.0.0.53`];
  if (said.has('certificate') || said.has('expire'))
    return [
      `certificate of https://${host}/ valid for at least 14 days`,
      'certificate of mail.example:993 valid for at least 14 days',
    ];
  if (said.has('port') || said.has('tcp') || said.has('udp'))
    return [`port 443 on ${host} every minute`, 'UDP port 1194 on vpn.example'];
  if (said.has('browser')) return [`open https://${host}/ in a browser every 10 minutes`, web];
  return [web, 'ping 10.0.0.1 every 30 s'];
}
