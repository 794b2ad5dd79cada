import { cutSecrets } from './cut-secrets.ts';
import { findNames, type Known } from './known.ts';
import { readItems } from './read-items.ts';
import { bracketed } from './read-target.ts';
import { isKnownWord } from './words/vocabulary.ts';

/** A request as a model may see it: marks stand for hosts, addresses, names of the tenant's own and credentials. */
export interface HiddenRequest {
  text: string;
  /** What each mark stands for: a URL, a host, or a host with its port. */
  targets: { mark: string; kind: 'url' | 'host' | 'address'; value: string }[];
  runners: { mark: string; id: string }[];
  secrets: number;
  /** Why it may not be shown to anybody. */
  fault?: string;
}

export function hideTargets(prompt: string, known: Known): HiddenRequest {
  const cut = cutSecrets(prompt);
  const { items } = readItems(cut.text, isKnownWord);
  const hidden: HiddenRequest = { text: '', targets: [], runners: [], secrets: cut.secrets.length };
  if (cut.fault !== undefined) hidden.fault = cut.fault;
  const noteTarget = (kind: HiddenRequest['targets'][number]['kind'], value: string): string => {
    const mark = `TARGET_${hidden.targets.length + 1}`;
    hidden.targets.push({ mark, kind, value });
    return mark;
  };
  let at = 0;
  for (const { kind, start, end, target, named } of findNames(items, known, cut.text)) {
    let mark: string | undefined;
    if (kind === 'target' && target) {
      const { host, port } = target;
      const isAddress = target.kind === 'ipv4' || target.kind === 'ipv6';
      const plain = port === undefined ? host : `${bracketed(host)}:${port}`;
      mark = noteTarget(target.url ? 'url' : isAddress ? 'address' : 'host', target.url ?? plain);
    } else if (named?.is === 'place' && named.hosts[0]) mark = noteTarget('host', named.hosts[0]);
    // Nothing to test, and a name of the tenant's all the same.
    else if (named?.is === 'place') mark = 'NAME';
    else if (named?.is === 'test') mark = noteTarget(named.target.includes('://') ? 'url' : 'host', named.target);
    else if (named?.is === 'runners' && named.ids[0]) {
      mark = `RUNNER_${hidden.runners.length + 1}`;
      hidden.runners.push({ mark, id: named.ids[0] });
    }
    if (mark === undefined) continue;
    hidden.text += cut.text.slice(at, start) + mark;
    at = end;
  }
  hidden.text += cut.text.slice(at);
  return hidden;
}
