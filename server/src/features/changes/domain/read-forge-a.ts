import { MAX_AHEAD_MS, MAX_PATHS, MAX_SUMMARY, MAX_TITLE, MAX_URL, MAX_WORD } from '@svc/contracts/changes/bounds';
import type { DeliveredChange } from '@svc/contracts/changes/delivery';
import type { ChangeState } from '@svc/contracts/changes/kinds';
import { type Fields, fieldsOf, firstLine, isFields, linkOf, listOf, wordOf } from './fields.ts';
import { branchOf, isNothing, oneCommit, pathsOf, presentAttributes, summaryOf, titleOfDeploy } from './forge.ts';
import { nothing, type Reading, type ReadTools } from './reading.ts';
import { notAhead, parseSeconds, parseTime } from './times.ts';

/** GitHub's deliveries. Few fields are read and the rest is ignored: servers of its customers send the bodies of years ago. */

const STATES: Readonly<Record<string, ChangeState>> = {
  ...{ pending: 'waiting', queued: 'waiting', waiting: 'waiting', in_progress: 'running' },
  ...{ success: 'succeeded', failure: 'failed', error: 'failed', inactive: 'replaced' },
};

const sourceOf = (repository: Fields) => ({
  repository: wordOf(repository.full_name, MAX_WORD),
  repositoryId: wordOf(repository.id ?? repository.full_name, MAX_WORD) ?? '',
});

function readPush(body: Fields, tools: ReadTools): Reading {
  const { ref, before, after } = body;
  const head = fieldsOf(body.head_commit);
  if (body.deleted === true || isNothing(after) || !isFields(body.head_commit)) return nothing('push', 'no_commit');
  const repository = fieldsOf(body.repository);
  const { repository: name, repositoryId } = sourceOf(repository);
  const commits = listOf(body.commits).map(fieldsOf);
  const all = commits.length > 0 ? commits : [head];
  // In a push alone this is in seconds: when it was pushed. A commit may have been made long before.
  const at = parseSeconds(repository.pushed_at) ?? parseTime(head.timestamp) ?? tools.nowMs;
  const branch = branchOf(ref);
  const change: DeliveredChange = {
    key: `push:${repositoryId}:${wordOf(ref, 80) ?? ''}:${wordOf(before, 50) ?? ''}:${wordOf(after, 50) ?? ''}`.slice(0, 300),
    ...{ source: 'github', kind: 'commit', target: null, prefix: null, state: null, state_at: null },
    title: firstLine(head.message, MAX_TITLE) ?? `Push to ${branch}`,
    summary: summaryOf(all, name, branch).slice(0, MAX_SUMMARY),
    actor: wordOf(fieldsOf(body.sender).login ?? fieldsOf(body.pusher).name, MAX_WORD),
    ref: wordOf(after, MAX_WORD),
    url: linkOf(oneCommit(all) ? head.url : body.compare, MAX_URL) ?? linkOf(head.url, MAX_URL),
    attributes: presentAttributes({ branch, commits: String(all.length), forced: body.forced === true ? 'true' : undefined }),
    ...{ repository: name, environment: null, paths: pathsOf(all, MAX_PATHS) },
    occurred_at: new Date(notAhead(at, { nowMs: tools.nowMs, mostMs: MAX_AHEAD_MS })).toISOString(),
  };
  return { event: 'push', outcome: 'stored', changes: [change], dropped: [] };
}

function readDeployment(event: string, body: Fields, tools: ReadTools): Reading {
  const deployment = fieldsOf(body.deployment);
  const id = wordOf(deployment.id, MAX_WORD);
  if (id === null) return nothing(event, 'not_known_shape');
  const status = fieldsOf(body.deployment_status);
  const { repository, repositoryId } = sourceOf(fieldsOf(body.repository));
  const told = parseTime(deployment.created_at) ?? parseTime(status.created_at) ?? tools.nowMs;
  const stateAt = isFields(body.deployment_status) ? (parseTime(status.created_at) ?? tools.nowMs) : undefined;
  const bounds = { nowMs: tools.nowMs, mostMs: MAX_AHEAD_MS };
  const environment = wordOf(status.environment ?? deployment.environment, MAX_WORD);
  const word = wordOf(status.state, MAX_WORD);
  const change: DeliveredChange = {
    key: `deployment:${repositoryId}:${id}`.slice(0, 300),
    ...{ source: 'github', kind: 'deploy', prefix: null, paths: [] },
    title: titleOfDeploy({ repository, ref: deployment.ref, sha: deployment.sha, environment }).slice(0, MAX_TITLE),
    summary: firstLine(status.description, MAX_SUMMARY) ?? firstLine(deployment.description, MAX_SUMMARY) ?? '',
    target: linkOf(status.environment_url, MAX_URL),
    actor: wordOf(fieldsOf(deployment.creator).login ?? fieldsOf(body.sender).login, MAX_WORD),
    ref: wordOf(deployment.sha, MAX_WORD),
    url:
      linkOf(status.target_url, MAX_URL) ??
      linkOf(status.log_url, MAX_URL) ??
      linkOf(fieldsOf(body.repository).html_url, MAX_URL),
    attributes: presentAttributes({
      ...{ deployment: id, status: word ?? undefined, branch: wordOf(deployment.ref, MAX_WORD) ?? undefined },
      task: wordOf(deployment.task, MAX_WORD) ?? undefined,
    }),
    ...{ repository, environment },
    occurred_at: new Date(notAhead(told, bounds)).toISOString(),
    state: (word === null ? undefined : STATES[word]) ?? null,
    state_at: stateAt === undefined ? null : new Date(notAhead(stateAt, bounds)).toISOString(),
  };
  return { event, outcome: 'stored', changes: [change], dropped: [] };
}

/** `event` is the header's word; where a server leaves it out, the body says what it is. */
export function readForgeA(body: unknown, event: string, tools: ReadTools): Reading {
  if (!isFields(body)) return nothing(event, 'not_known_shape');
  const what =
    event || (body.deployment_status ? 'deployment_status' : body.deployment ? 'deployment' : body.commits ? 'push' : '');
  if (what === 'push') return readPush(body, tools);
  if (what === 'deployment' || what === 'deployment_status') return readDeployment(what, body, tools);
  if (what === 'ping') return nothing(what, 'ping');
  return nothing(what, what === '' ? 'not_known_shape' : 'not_wanted');
}
