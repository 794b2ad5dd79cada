import { isIPv4, isIPv6 } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { DATA_CLASSES, type DataCategory, type DataClass, USUAL_CLASSES } from '@svc/contracts/governance/classes';

/** Masks what a text holds of a tenant's data before it leaves this server (docs/privacy.md). Masking is pseudonymisation and no more. */

export interface MaskRules {
  classification: Readonly<Partial<Record<DataCategory, DataClass>>>;
  redactFrom: DataClass;
}

export interface Masked {
  text: string;
  /** How often each category was masked. */
  counts: Readonly<Partial<Record<DataCategory, number>>>;
}

const rank = (one: DataClass): number => DATA_CLASSES.indexOf(one);

/** What is restricted never leaves, whatever the floor. */
function isMasked({ classification, redactFrom }: MaskRules, category: DataCategory): boolean {
  const own = classification[category] ?? USUAL_CLASSES[category];
  return category === 'credential' || own === 'restricted' || rank(own) >= rank(redactFrom);
}

/** IPv4 to its /24, IPv6 to its /48; a wider network as it is. */
function maskAddress(address: string, length?: number): string {
  if (isIPv4(address)) {
    if (length !== undefined && length <= 24) return `${address}/${length}`;
    return `${address.split('.').slice(0, 3).join('.')}.0/24`;
  }
  if (length !== undefined && length <= 48) return `${address}/${length}`;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  const full = [
    ...groups,
    ...Array.from({ length: Math.max(0, missing) }, () => '0'),
    ...(tail ?? '').split(':').filter(Boolean),
  ];
  return `${full.slice(0, 3).join(':')}::/48`;
}

const maskEmail = (email: string): string => `${email.slice(0, 1)}***@${email.slice(email.lastIndexOf('@') + 1)}`;
const maskMac = (mac: string): string => mac.split(/[:-]/).slice(0, 3).join(':');

const NAMED =
  '(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[-_ ]?key|access[-_]?key|client[-_]?secret|authorization|credentials?|cookie|session(?:[-_]?id)?)';
/** Whole tokens of known makers, and whatever stands behind a name that says what it is. */
const CREDENTIALS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*(?:PRIVATE KEY|CERTIFICATE)-----[\s\S]*?(?:-----END [A-Z ]*-----|$)/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  /\b(?:svc_[a-z]+_|sk-|rk-|pk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|whsec_|npm_|hf_|AIza)[\w.-]{8,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\b(?:Bearer|Basic|Digest)\s+[\w+/=.~-]{6,}/gi,
  // The word that it ends goes with it where it is short: looked for from where a word begins alone.
  new RegExp(
    String.raw`(?:(?<![\w.-])[\w.-]{0,40}?)?${NAMED}["']?\s*(?:=>?|:)\s*(?:"[^"\n]{1,512}"|'[^'\n]{1,512}'|[^\s,;&"']{3,512})`,
    'gi',
  ),
  /(?<=:\/\/)[^\s/@:]{1,256}:[^\s/@]{1,256}(?=@)/g,
  // What is long, mixed and without a word in it: keys and digests. Each run of such signs is looked at once, from its beginning.
  /(?<![A-Za-z0-9+/_-])(?=[A-Za-z0-9+/_-]*[A-Z])(?=[A-Za-z0-9+/_-]*[a-z])(?=[A-Za-z0-9+/_-]*\d)[A-Za-z0-9+/_-]{32,}={0,2}(?![\w])/g,
];
const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/gu;
const IPV4 = /(?<![\w.])(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2}))?(?!\w|\.\d)/g;
const IPV6 = /(?<![\w:])((?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4})(?:%[\w.]+)?(?:\/(\d{1,3}))?(?![\w:])/gi;
const MAC = /(?<![\w:-])[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}(?![\w:-])/gi;
const COORDINATES = /(?<![\w.])-?\d{1,2}\.\d{3,},\s?-?\d{1,3}\.\d{3,}(?![\w.])/g;
const AGENT = /\bMozilla\/\d[^"\n]{0,400}/g;
const ASN = /\bAS\d{1,10}\b/g;
const HOST = /(?<![\w@.-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}(?![\w-])/gi;

interface Rule {
  category: DataCategory;
  pattern: RegExp;
  mask: (found: string, ...groups: (string | undefined)[]) => string;
}

const DROPPED = '[removed]';

/** In this order: what is dropped first is in nothing that is masked later. */
const RULES: readonly Rule[] = [
  ...CREDENTIALS.map((pattern): Rule => ({ category: 'credential', pattern, mask: () => DROPPED })),
  { category: 'email', pattern: EMAIL, mask: maskEmail },
  { category: 'mac_address', pattern: MAC, mask: maskMac },
  {
    category: 'ip_address',
    pattern: IPV4,
    mask: (found, address = '', length) =>
      isIPv4(address) ? maskAddress(address, length === undefined ? undefined : Number(length)) : found,
  },
  {
    category: 'ip_address',
    pattern: IPV6,
    mask: (found, address = '', length) =>
      isIPv6(address) ? maskAddress(address, length === undefined ? undefined : Number(length)) : found,
  },
  { category: 'geo', pattern: COORDINATES, mask: () => '[place]' },
  { category: 'user_agent', pattern: AGENT, mask: () => '[browser]' },
  { category: 'asn', pattern: ASN, mask: () => '[network]' },
  { category: 'hostname', pattern: HOST, mask: () => '[host]' },
];

/** Some two microseconds a character, whatever stands there: no pattern begins anew within what it has just looked through. */
export function maskText(text: string, rules: MaskRules): Masked {
  const counts: Partial<Record<DataCategory, number>> = {};
  let masked = text;
  for (const { category, pattern, mask } of RULES) {
    if (!isMasked(rules, category)) continue;
    const drops = (rules.classification[category] ?? USUAL_CLASSES[category]) === 'restricted';
    masked = masked.replace(pattern, (found: string, ...rest: unknown[]) => {
      const groups = rest.map((one) => (typeof one === 'string' ? one : undefined));
      const replaced = drops ? DROPPED : mask(found, ...groups);
      if (replaced !== found) counts[category] = (counts[category] ?? 0) + 1;
      return replaced;
    });
  }
  return { text: masked, counts };
}

/** Others have their turn after so much. */
const PAUSE_AFTER_MS = 8;

/** As `maskText`, one after the other, with pauses between them. */
export async function maskTexts(texts: readonly string[], rules: MaskRules): Promise<Masked[]> {
  const masked: Masked[] = [];
  for (let pausedMs = performance.now(); masked.length < texts.length; ) {
    masked.push(maskText(texts[masked.length] ?? '', rules));
    if (performance.now() - pausedMs < PAUSE_AFTER_MS) continue;
    await turn();
    pausedMs = performance.now();
  }
  return masked;
}
