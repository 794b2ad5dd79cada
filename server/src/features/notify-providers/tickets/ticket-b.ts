import type { Verb } from '@svc/contracts/notify/kinds';
import type { Connection, Finding, Message, ObjectState, Outcome, Provider, Reference } from '#kernel';
import { pick, pickText, type Reply, sayOf, secretsOf } from '../calls/ask.ts';
import { type ProviderDeps, unasked } from '../context.ts';
import { cut, cutBefore } from '../domain/cut.ts';
import { forJira } from '../domain/escape.ts';
import { plainOf, summaryOf, textOf } from '../domain/templates.ts';
import { type Calls, createCalls, type Issue, type Known, referenceOf, refusedFields, wordsOf } from './ticket-b-calls.ts';
import { ABOUT } from './ticket-b-form.ts';
import { moveBack, moveToDone } from './ticket-b-move.ts';

/** Jira's REST v2 (docs/notify/jira.md). */

const LIMITS = { summary: 255, description: 32_000, comment: 32_000 };
/** Fields that a project may not have on its screen, where each refuses the whole issue. */
const OPTIONAL = ['labels', 'priority'];
/** The search finds a new issue within this, or there is none. */
const INDEXED_MS = 60_000;

function fieldsOf(to: Connection, message: Message): Record<string, unknown> {
  const { before, title, after } = summaryOf(message);
  const text = textOf(message, 'open');
  // The key stands here too, for projects without labels: a search finds it again.
  const end = `\n\nReference: ${message.key}\n${text.link.label}: ${text.link.url}`;
  const { project = '', issue_type: issueType = '', priority } = to.settings;
  return {
    ...{ project: { key: project }, issuetype: { name: issueType } },
    summary: `${before}${cut(title, LIMITS.summary - before.length - after.length, 'units')}${after}`,
    description: cutBefore(forJira(plainOf(text)), end, { most: LIMITS.description, unit: 'units' }),
    labels: [message.key],
    ...(priority ? { priority: { name: priority } } : {}),
  };
}

async function open({ ask, refuse }: Calls, to: Connection, message: Message): Promise<Outcome> {
  const create = (fields: Record<string, unknown>): Promise<Reply> => ask(to, { url: '/issue', body: { fields } });
  const fields = fieldsOf(to, message);
  let reply = await create(fields);
  const refused = reply.ok ? refusedFields(reply.answer) : [];
  // A refused field refuses the whole issue, so that nothing was made: once without those that we can do without.
  if (refused.some((name) => OPTIONAL.includes(name)) && refused.every((name) => OPTIONAL.includes(name)))
    reply = await create(Object.fromEntries(Object.entries(fields).filter(([name]) => !refused.includes(name))));
  if (!reply.ok) return reply.refused;
  const { status, json } = reply.answer;
  const [id, key] = [pickText(json, 'id'), pickText(json, 'key')];
  if (status !== 201 || id === undefined || key === undefined) return refuse(to, reply.answer, true);
  const without = refused.length > 0 ? ` (without ${refused.join(', ')}, not on the project's screen)` : '';
  return { is: 'sent', reference: referenceOf(to, { id, key }), said: sayOf(`${key}${without}`, secretsOf(to)) };
}

async function comment(
  { ask, refuseIssue }: Calls,
  to: Connection,
  said: { issue: Pick<Issue, 'id' | 'key'>; message: Message; verb: Verb },
): Promise<Outcome> {
  const { headline, notes, link } = textOf(said.message, said.verb);
  const body = cutBefore(forJira([headline, ...notes].join('\n')), `\n${link.url}`, { most: LIMITS.comment, unit: 'units' });
  const reply = await ask(to, { url: `/issue/${encodeURIComponent(said.issue.id)}/comment`, body: { body } });
  if (!reply.ok) return reply.refused;
  if (reply.answer.status !== 201 || pickText(reply.answer.json, 'id') === undefined) return refuseIssue(to, reply.answer, true);
  return { is: 'sent', reference: referenceOf(to, said.issue), said: sayOf(`${said.issue.key}: commented`, secretsOf(to)) };
}

/** The move is what counts; words about it are left out where they fail. */
async function moveAndTell(
  calls: Calls,
  to: Connection,
  act: { issue: Issue; message: Message; verb: 'resolve' | 'reopen' },
): Promise<Outcome> {
  const moved = await (act.verb === 'resolve' ? moveToDone : moveBack)(calls, to, act.issue);
  if (moved.is === 'sent') await comment(calls, to, act);
  return moved;
}

const jqlOf = ({ settings }: Connection, key: string): string =>
  `project = "${settings.project}" AND (labels = "${key}" OR description ~ "\\"${key}\\"") ORDER BY created DESC`;

/** Cloud has the new search alone, Data Center the old one. */
async function search({ ask }: Calls, to: Connection, key: string): Promise<Reply> {
  const query = new URLSearchParams({ jql: jqlOf(to, key), fields: 'labels,description', maxResults: '10' });
  const reply = await ask(to, { url: `/search/jql?${query}`, method: 'GET' });
  return reply.ok && reply.answer.status === 404 ? await ask(to, { url: `/search?${query}`, method: 'GET' }) : reply;
}

const holdsKey = (issue: unknown, key: string): boolean => {
  const labels = pick(issue, 'fields', 'labels');
  return (
    (Array.isArray(labels) && labels.includes(key)) || JSON.stringify(pick(issue, 'fields', 'description') ?? '').includes(key)
  );
};

async function find(
  calls: Calls,
  to: Connection,
  { message, sentAtMs }: { message: Message; sentAtMs: number },
): Promise<Finding> {
  const reply = await search(calls, to, message.key);
  if (!reply.ok) return { is: 'unknown', afterMs: null, said: reply.refused.said };
  const issues = reply.answer.status === 200 ? pick(reply.answer.json, 'issues') : undefined;
  if (!Array.isArray(issues)) {
    const refused = calls.refuse(to, reply.answer);
    if (refused.is === 'broken_credential') return refused;
    return { is: 'unknown', afterMs: refused.is === 'retry' ? refused.afterMs : null, said: refused.said };
  }
  const newest = issues.find((issue) => holdsKey(issue, message.key));
  const [id, key] = [pickText(newest, 'id'), pickText(newest, 'key')];
  if (id !== undefined && key !== undefined && id !== message.former?.id)
    return { is: 'found', reference: referenceOf(to, { id, key }) };
  const waitMs = sentAtMs + INDEXED_MS - calls.now();
  return waitMs > 0 ? { is: 'unknown', afterMs: waitMs, said: 'Not in the search yet.' } : { is: 'absent' };
}

async function check({ ask, refuse }: Calls, to: Connection): Promise<Outcome> {
  const me = await ask(to, { url: '/myself', method: 'GET' });
  if (!me.ok) return me.refused;
  if (me.answer.status !== 200 || pick(me.answer.json, 'displayName') === undefined) return refuse(to, me.answer);
  const project = await ask(to, { url: `/project/${to.settings.project}`, method: 'GET' });
  if (!project.ok) return project.refused;
  if (project.answer.status === 200 && pick(project.answer.json, 'key') !== undefined)
    return { is: 'sent', reference: null, said: `The account sees the project ${to.settings.project}.` };
  if (project.answer.status !== 404) return refuse(to, project.answer);
  return {
    is: 'broken_credential',
    said: sayOf(`404 ${wordsOf(project.answer) ?? 'The project is not there or not visible.'}`, secretsOf(to)),
  };
}

const UNKNOWN: Outcome = { is: 'final', said: 'The issue at Jira is not known.' };
/** Work in progress is no acknowledgement: service projects begin in it, and so does what we re-open; a webhook tells who moved it. */
const CATEGORIES: Readonly<Record<string, ObjectState>> = { new: 'open', indeterminate: 'open', done: 'resolved' };

export function createTicketB(deps: ProviderDeps): Provider {
  const calls = createCalls(deps);
  const look = (to: Connection, reference: Reference): Promise<Known<Issue>> => calls.look(to, reference.id);
  const say =
    (verb: Verb) =>
    async (to: Connection, message: Message, reference: Reference | null): Promise<Outcome> =>
      reference
        ? await comment(calls, to, { issue: { id: reference.id, key: reference.label ?? reference.id }, message, verb })
        : UNKNOWN;
  return {
    ...ABOUT,
    confirm: unasked.confirm,
    check: (to) => check(calls, to),
    open: (to, message) => open(calls, to, message),
    update: say('update'),
    acknowledge: say('acknowledge'),
    resolve: async (to, message, reference) => {
      if (!reference) return UNKNOWN;
      const issue = await look(to, reference);
      if (!issue.ok) return issue.refused;
      if (issue.value.category === 'done')
        return { is: 'sent', reference: referenceOf(to, issue.value), said: `It was ${issue.value.status} already.` };
      return await moveAndTell(calls, to, { issue: issue.value, message, verb: 'resolve' });
    },
    reopen: async (to, message, reference) => {
      if (!reference) return UNKNOWN;
      const issue = await look(to, reference);
      if (!issue.ok) return issue.refused;
      if (issue.value.category !== 'done') return await comment(calls, to, { issue: issue.value, message, verb: 'reopen' });
      return await moveAndTell(calls, to, { issue: issue.value, message, verb: 'reopen' });
    },
    find: (to, message, sentAtMs) => find(calls, to, { message, sentAtMs }),
    look: async (to, reference) => {
      const issue = await look(to, reference);
      if (!issue.ok) return issue.refused.is === 'gone' ? 'gone' : 'unknown';
      return CATEGORIES[issue.value.category] ?? 'unknown';
    },
  };
}
