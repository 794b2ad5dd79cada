const MAX_DOMAIN = 253;

/** The first domain of a resolv.conf's last `search` or `domain` line, which is the one in force; undefined for none. */
export function parseSearchDomain(contents: string): string | undefined {
  let found: string | undefined;
  for (const line of contents.split('\n')) {
    const first = /^\s*(?:search|domain)\s+(\S+)/.exec(line)?.[1];
    if (first !== undefined) found = first;
  }
  return normalDomain(found);
}

/** Lower case, without the dot at its end; undefined for the root, which is no domain of a network. */
export function normalDomain(domain: string | undefined): string | undefined {
  const plain = domain?.trim().replace(/\.$/, '').toLowerCase();
  return plain !== undefined && plain !== '' && plain.length <= MAX_DOMAIN ? plain : undefined;
}
