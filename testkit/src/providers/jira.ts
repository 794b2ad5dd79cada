import { type CallBackTarget, createCallBack, hmacHex } from './call-back.ts';
import { checkOf } from './contract.ts';
import {
  findFieldFaults,
  type Issue,
  type JiraProject,
  presentEdges,
  presentStatus,
  refuseFields,
  toObject,
  transit,
} from './jira-issues.ts';
import type { PersonAct, SimulatedProvider } from './kept.ts';
import { type Answer, type Call, type ServerOptions, startServer } from './server.ts';
import { createWindow } from './window.ts';

/**
 * Jira, REST v2: create, comment, transitions, search, each judged by the vendor's published schemas. Nothing is deduplicated, the search lags
 * behind a create, a field that is not on the screen refuses the whole issue, and a transition holds only from the status that has it.
 */
export interface JiraOptions extends ServerOptions {
  /** `email:token` of Cloud, else a personal access token of Data Center. */
  credential: string;
  project: JiraProject;
  /** Cloud's search; Data Center has the old one alone. */
  isCloud?: boolean;
  /** Context path of a Data Center. */
  basePath?: string;
  /** How long a new issue is not found. */
  indexLagMs?: number;
  perMinute?: number;
  callBack?: () => CallBackTarget | undefined;
}

const pointer = (path: string): string =>
  `/paths/${path.replaceAll('/', '~1')}/post/requestBody/content/application~1json/schema`;
const checkUpdate = checkOf('jira', 'openapi-cloud-issue-subset.json', pointer('/rest/api/3/issue'));
const checkComment = checkOf('jira', 'openapi-cloud-issue-subset.json', pointer('/rest/api/3/issue/{issueIdOrKey}/comment'));
const checkMove = checkOf('jira', 'openapi-cloud-issue-subset.json', pointer('/rest/api/3/issue/{issueIdOrKey}/transitions'));

const error = (status: number, ...messages: string[]): Answer => ({ status, body: { errorMessages: messages, errors: {} } });
const authorizationOf = (credential: string): string =>
  credential.includes(':') ? `Basic ${Buffer.from(credential).toString('base64')}` : `Bearer ${credential}`;

function createIssues(options: JiraOptions) {
  const issues: Issue[] = [];
  const callBack = createCallBack(options.callBack ?? (() => undefined));
  let deliveries = 0;
  const tell = (issue: Issue, event: string): void => {
    deliveries += 1;
    const { summary, labels = [] } = issue.fields;
    callBack.send(
      {
        ...{ timestamp: Date.now(), webhookEvent: event, issue_event_type_name: 'issue_generic' },
        user: { displayName: 'Example User', accountId: 'sim' },
        issue: { id: issue.id, key: issue.key, fields: { summary, labels, status: presentStatus(issue) } },
      },
      (bytes, secret) => ({
        'x-hub-signature': `sha256=${hmacHex(secret, bytes)}`,
        'x-atlassian-webhook-identifier': `sim-${deliveries}`,
      }),
    );
  };
  return { issues, callBack, tell };
}

type Issues = ReturnType<typeof createIssues>;

function create({ issues, tell }: Issues, { project, origin }: { project: JiraProject; origin: string }, call: Call): Answer {
  const { fields = {} } = (call.json ?? {}) as { fields?: Record<string, unknown> };
  const { project: asked, summary } = fields as { project?: { key?: string }; summary?: string };
  if (asked?.key !== project.key) return refuseFields({ project: 'valid project is required' });
  const refusal = findFieldFaults(project, fields);
  if (refusal) return refusal;
  const number = issues.length + 1;
  const issue: Issue = {
    ...{ id: String(10_000 + number), key: `${project.key}-${number}`, fields: { ...fields, summary: summary ?? '' } },
    ...{ status: { name: 'To Do', category: 'new' }, resolution: null, comments: [], lines: [], atMs: call.atMs },
  };
  issues.push(issue);
  tell(issue, 'jira:issue_created');
  return { status: 201, body: { id: issue.id, key: issue.key, self: `${origin}/rest/api/2/issue/${issue.id}` } };
}

/** As far as our own queries go: a project, a label or words of the description, the newest first. */
function search({ issues }: Issues, options: JiraOptions, call: Call): Answer {
  const jql = call.query.get('jql') ?? (call.json as { jql?: string } | undefined)?.jql ?? '';
  const label = /labels = "([^"]+)"/.exec(jql)?.[1];
  const words = /description ~ "\\"([^"\\]+)\\""/.exec(jql)?.[1];
  const projectKey = /project = "([^"]+)"/.exec(jql)?.[1];
  if (label === undefined && words === undefined) return error(400, `Error in the JQL Query: ${jql}`);
  const found = issues.filter(
    ({ key, fields, atMs }) =>
      atMs + (options.indexLagMs ?? 0) <= call.atMs &&
      (projectKey === undefined || key.startsWith(`${projectKey}-`)) &&
      ((label !== undefined && fields.labels?.includes(label)) || (words !== undefined && fields.description?.includes(words))),
  );
  const issuesFound = found.toReversed().map((issue) => {
    const { labels = [], description = null } = issue.fields;
    return { id: issue.id, key: issue.key, fields: { labels, description, status: presentStatus(issue) } };
  });
  return { status: 200, body: { issues: issuesFound, isLast: true } };
}

interface Operation {
  kept: Issues;
  options: JiraOptions;
  call: Call;
}

function onIssue({ kept, options, call }: Operation, issue: Issue, part: string | undefined): Answer | undefined {
  if (call.method === 'GET' && part === undefined)
    return { status: 200, body: { id: issue.id, key: issue.key, fields: { status: presentStatus(issue) } } };
  if (part === 'transitions' && call.method === 'GET')
    return { status: 200, body: { transitions: presentEdges(options.project, issue) } };
  if (part === 'transitions' && call.method === 'POST') {
    const refusal = transit(options.project, issue, (call.json ?? {}) as object);
    if (refusal) return refusal;
    kept.tell(issue, 'jira:issue_updated');
    return { status: 204 };
  }
  if (part !== 'comment' || call.method !== 'POST') return undefined;
  const { body } = (call.json ?? {}) as { body?: unknown };
  if (typeof body !== 'string' || body === '') return refuseFields({ comment: 'Comment body can not be empty!' });
  issue.comments.push(body);
  issue.lines.push(`comment: ${body}`);
  return { status: 201, body: { id: String(issue.comments.length), body } };
}

function findSchemaFaults({ method, path, json }: Call): string[] {
  if (method !== 'POST' || path.includes('/search')) return [];
  if (path.endsWith('/comment')) return checkComment(json);
  return path.endsWith('/transitions') ? checkMove(json) : checkUpdate(json);
}

function serve(operation: Operation, { path, origin }: { path: string; origin: string }): Answer | undefined {
  const { kept, options, call } = operation;
  const { project, isCloud = true } = options;
  if (path === '/myself') return { status: 200, body: { displayName: 'Network Observability', active: true } };
  if (path.startsWith('/project/'))
    return path === `/project/${project.key}`
      ? { status: 200, body: { id: '10000', key: project.key } }
      : error(404, `No project could be found with key '${path.slice(9)}'.`);
  if (path === '/search')
    return isCloud
      ? error(410, 'The requested API has been removed. Please migrate to /search/jql.')
      : search(kept, options, call);
  if (path === '/search/jql') return isCloud ? search(kept, options, call) : error(404);
  if (path === '/issue' && call.method === 'POST') return create(kept, { project, origin }, call);
  const [, name, part] = /^\/issue\/([^/]+)(?:\/([a-z]+))?$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  const issue = kept.issues.find(({ id, key }) => id === name || key === name);
  return issue ? onIssue(operation, issue, part) : error(404, 'Issue does not exist or you do not have permission to see it.');
}

export async function startJira(options: JiraOptions): Promise<SimulatedProvider & { told(): Promise<readonly number[]> }> {
  const kept = createIssues(options);
  const base = `${options.basePath ?? ''}/rest/api/2`;
  const window = createWindow({ most: options.perMinute ?? 600, ms: 60_000 });
  const server = await startServer(options, (call, breach): Answer => {
    if (!call.path.startsWith(base)) return error(404, 'no such path');
    if (call.headers.authorization !== authorizationOf(options.credential))
      return error(401, 'Client must be authenticated to access this resource.');
    const waitMs = window.take(call.atMs);
    if (waitMs !== undefined)
      return { ...error(429, 'Rate limit exceeded.'), headers: { 'retry-after': String(Math.ceil(waitMs / 1000)) } };
    if (!/^en/.test(call.headers['accept-language'] ?? ''))
      breach('without Accept-Language errors come in the language of the account');
    for (const fault of findSchemaFaults(call)) breach(fault);
    const answer = serve({ kept, options, call }, { path: call.path.slice(base.length), origin: server.origin });
    if (!answer) breach('no such operation');
    return answer ?? error(405, 'no such operation');
  });
  const act = async (id: string, what: PersonAct): Promise<void> => {
    const issue = kept.issues.find((one) => one.id === id);
    if (!issue) return;
    if (what === 'delete') kept.issues.splice(kept.issues.indexOf(issue), 1);
    else {
      const category = ({ acknowledge: 'indeterminate', resolve: 'done', reopen: 'new' } as const)[what];
      issue.status = { name: category, category };
      issue.lines.push(`${what} by a person`);
    }
    kept.tell(issue, what === 'delete' ? 'jira:issue_deleted' : 'jira:issue_updated');
    await kept.callBack.settled();
  };
  return { ...server, objects: () => kept.issues.map(toObject), act, told: () => kept.callBack.settled() };
}
