import { type Decision, isWebType, type Kind, ofTarget, type Saying } from './choose-type.ts';
import { readTarget, type Target } from './read-target.ts';

/** What is asked where a request uses a name that the tenant's own data give. */

const hostTarget = (host: string): Target | undefined => {
  const read = readTarget(host) ?? { kind: 'host', host, path: '' };
  return 'fault' in read ? undefined : read;
};

const INTENTS = ['ping', 'tcp', 'udp', 'port', 'resolve', 'record', 'browser', 'certificate'];

function ofPlace(
  saying: Saying,
  { name, kind, hosts }: { name: string; kind: 'app' | 'service' | 'host'; hosts: readonly string[] },
): Decision {
  const targets = hosts.map(hostTarget).filter((target) => target !== undefined);
  const decide = (target: Target): Decision => {
    // Users open an app: it is a web page unless somebody says otherwise.
    const said = kind === 'app' && !INTENTS.some((tag) => saying.said.has(tag)) ? new Set([...saying.said, 'web']) : saying.said;
    return ofTarget({ ...saying, said }, target);
  };
  const explain = (one: Kind): Kind => ({ ...one, whyTarget: `“${name}” is at ${one.target}.` });
  const decisions = targets.map(decide);
  const [first] = decisions;
  if (!first) return { unclear: `“${name}” has no host that is known.` };
  if ('unclear' in first) return first;
  if (decisions.length === 1)
    return 'kinds' in first ? { kinds: first.kinds.map(explain) } : { ...first, choices: first.choices.map(explain) };
  const choices = decisions
    .flatMap((decision) => ('kinds' in decision ? decision.kinds : 'choices' in decision ? decision.choices : []))
    .map(explain);
  return { choices, question: `“${name}” is at ${hosts.join(' and ')}. Which one?` };
}

function ofTest(saying: Saying, { name, type, target }: { name: string; type: Kind['type']; target: string }): Decision {
  const read = readTarget(target);
  const isOther = INTENTS.some((tag) => saying.said.has(tag));
  const whyTarget = `The test “${name}” has it.`;
  if (!isOther || !read || 'fault' in read) return { kinds: [{ type, target, why: whyTarget, whyTarget }] };
  const decision = ofTarget(saying, isWebType(type) ? { kind: 'host', host: read.host, path: '' } : read);
  return 'kinds' in decision ? { kinds: decision.kinds.map((kind) => ({ ...kind, whyTarget })) } : decision;
}

export function chooseKinds(saying: Saying): Decision {
  const { target, named, text } = saying.subject;
  if (target) return ofTarget(saying, target);
  if (named?.is === 'test') return ofTest(saying, named);
  if (named?.is === 'place') return ofPlace(saying, named);
  return { unclear: `“${text}” is no host.` };
}
