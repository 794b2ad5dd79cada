import { MAX_AHEAD_MS, MAX_PATHS, MAX_SUMMARY, MAX_TITLE, MAX_URL, MAX_WORD } from '@svc/contracts/changes/bounds';
import type { DeliveredChange } from '@svc/contracts/changes/delivery';
import type { ChangeState } from '@svc/contracts/changes/kinds';
import { type Fields, fieldsOf, firstLine, isFields, linkOf, listOf, wordOf } from './fields.ts';
import { branchOf, isNothing, oneCommit, pathsOf, presentAttributes, summaryOf, titleOfDeploy } from './forge.ts';
import { nothing, type Reading, type ReadTools } from './reading.ts';
import { notAhead, parseTime } from './times.ts';

/** GitLab's deliveries. */

const STATES: Readonly<Record<string, ChangeState>> = {
  ...{ created: 'waiting', blocked: 'waiting', approved: 'waiting', running: 'running', success: 'succeeded' },
  ...{ failed: 'failed', canceled: 'cancelled', rejected: 'cancelled', skipped: 'cancelled' },
};

const iso = (ms: number, { nowMs }: ReadTools): string => new Date(notAhead(ms, { nowMs, mostMs: MAX_AHEAD_MS })).toISOString();

const projectOf = (body: Fields) => {
  const project = fieldsOf(body.project);
  return {
    name: wordOf(project.path_with_namespace ?? project.name, MAX_WORD),
    id: wordOf(project.id ?? body.project_id ?? project.path_with_namespace, MAX_WORD) ?? '',
    url: linkOf(project.web_url, MAX_URL),
  };
};

function readPush(event: string, body: Fields, tools: ReadTools): Reading {
  const { ref, before, after } = body;
  if (isNothing(after)) return nothing(event, 'no_commit');
  const project = projectOf(body);
  const commits = listOf(body.commits).map(fieldsOf);
  const head = commits.find(({ id }) => id === after) ?? commits.at(-1) ?? {};
  // A push has no time of its own: its newest commit's.
  const times = commits.flatMap(({ timestamp }) => parseTime(timestamp) ?? []);
  const branch = branchOf(ref);
  const sha = wordOf(body.checkout_sha ?? after, MAX_WORD);
  const total = Number(body.total_commits_count);
  const compare = project.url && !isNothing(before) ? `${project.url}/-/compare/${before}...${after}` : null;
  const change: DeliveredChange = {
    key: `push:${project.id}:${wordOf(ref, 80) ?? ''}:${wordOf(before, 50) ?? ''}:${wordOf(after, 50) ?? ''}`.slice(0, 300),
    ...{ source: 'gitlab', kind: 'commit', target: null, prefix: null, state: null, state_at: null },
    title: firstLine(head.title ?? head.message, MAX_TITLE) ?? `Push to ${branch}`,
    summary: summaryOf(commits, project.name, branch).slice(0, MAX_SUMMARY),
    actor: wordOf(body.user_username ?? body.user_name, MAX_WORD),
    ref: sha,
    url: linkOf(oneCommit(commits) ? head.url : compare, MAX_URL) ?? linkOf(head.url, MAX_URL) ?? project.url,
    attributes: presentAttributes({ branch, commits: String(Number.isInteger(total) ? total : commits.length) }),
    ...{ repository: project.name, environment: null, paths: pathsOf(commits, MAX_PATHS) },
    occurred_at: iso(times.length > 0 ? Math.max(...times) : tools.nowMs, tools),
  };
  return { event, outcome: 'stored', changes: [change], dropped: [] };
}

/** The whole commit id stands at the end of its address alone. */
const shaOf = (body: Fields): string | null =>
  /\/commit\/([0-9a-f]{7,64})$/.exec(linkOf(body.commit_url, MAX_URL) ?? '')?.[1] ?? wordOf(body.short_sha, MAX_WORD);

function readDeployment(body: Fields, tools: ReadTools): Reading {
  const id = wordOf(body.deployment_id, MAX_WORD);
  if (id === null) return nothing('deployment', 'not_known_shape');
  const project = projectOf(body);
  const at = iso(parseTime(body.status_changed_at) ?? tools.nowMs, tools);
  const environment = wordOf(body.environment, MAX_WORD);
  const word = wordOf(body.status, MAX_WORD);
  const sha = shaOf(body);
  const change: DeliveredChange = {
    key: `deployment:${project.id}:${id}`.slice(0, 300),
    ...{ source: 'gitlab', kind: 'deploy', prefix: null, paths: [] },
    title: titleOfDeploy({ repository: project.name, ref: body.ref, sha, environment }).slice(0, MAX_TITLE),
    summary: firstLine(body.commit_title, MAX_SUMMARY) ?? '',
    target: linkOf(body.environment_external_url, MAX_URL),
    actor: wordOf(fieldsOf(body.user).username ?? fieldsOf(body.user).name, MAX_WORD),
    ref: sha,
    url: linkOf(body.deployable_url, MAX_URL) ?? linkOf(body.commit_url, MAX_URL) ?? project.url,
    attributes: presentAttributes({
      ...{ deployment: id, status: word ?? undefined, branch: wordOf(body.ref, MAX_WORD) ?? undefined },
      tier: wordOf(body.environment_tier, MAX_WORD) ?? undefined,
    }),
    ...{ repository: project.name, environment },
    ...{ occurred_at: at, state: (word === null ? undefined : STATES[word]) ?? null, state_at: at },
  };
  return { event: 'deployment', outcome: 'stored', changes: [change], dropped: [] };
}

/** What it is stands in the body; the header's word is for people. */
export function readForgeB(body: unknown, event: string, tools: ReadTools): Reading {
  if (!isFields(body)) return nothing(event, 'not_known_shape');
  const what = wordOf(body.object_kind, 64) ?? '';
  if (what === 'push' || what === 'tag_push') return readPush(what, body, tools);
  if (what === 'deployment') return readDeployment(body, tools);
  return nothing(what || event, what === '' ? 'not_known_shape' : 'not_wanted');
}
