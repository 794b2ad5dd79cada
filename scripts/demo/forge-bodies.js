// Deliveries of GitHub and GitLab as they send them: a real body of each kind with the demo's names, ids and times in it, signed as they sign.
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../env.js';

/** Real bodies; where they are from stands beside them. */
const texts = new Map();
function read(file) {
  const text = texts.get(file) ?? readFileSync(join(root, 'testkit', 'fixtures', file), 'utf8');
  texts.set(file, text);
  return JSON.parse(text);
}
const FIRM = 'fennmark';

/** The id of a commit, the same whenever the demo tells of it. */
const shaOf = (text) => createHash('sha1').update(text).digest('hex');
const seconds = (ms) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
const spaced = (ms) => seconds(ms).replace('T', ' ').replace('Z', ' +0000');

/** Repositories have an id of their own: by it the server tells them apart. */
const idOf = (name) => Number.parseInt(shaOf(name).slice(0, 7), 16);
const repositoryOf = (before, name) => ({
  ...before,
  ...{ id: idOf(name), name, full_name: `${FIRM}/${name}`, html_url: `https://github.com/${FIRM}/${name}` },
});

/**
 * GitHub tells of a deployment when it is created, and of each of its states.
 * @param {{ repository: string, id: number, atMs: number, createdMs: number, by: string, state?: string, url?: string, words?: string }} of
 */
export function githubDeployment({ repository, id, atMs, createdMs, by, state, url, words = '' }) {
  const event = state ? 'deployment_status' : 'deployment';
  const body = read(`github/${event}.created.00.json`);
  body.repository = repositoryOf(body.repository, repository);
  body.sender = { ...body.sender, login: by };
  const sha = shaOf(`${repository} ${id}`);
  Object.assign(body.deployment, { id, sha, ref: 'main', created_at: seconds(createdMs), updated_at: seconds(atMs) });
  body.deployment.creator = { ...body.deployment.creator, login: by };
  if (body.deployment_status)
    Object.assign(body.deployment_status, {
      ...{ id: id * 10 + state.length, state, description: words, environment_url: url },
      ...{
        target_url: `https://github.com/${FIRM}/${repository}/deployments`,
        created_at: seconds(atMs),
        updated_at: seconds(atMs),
      },
    });
  return { event, body };
}

/** @param {{ repository: string, atMs: number, by: string, message: string, files: string[] }} of */
export function githubPush({ repository, atMs, by, message, files }) {
  const body = read('github/push.04.json');
  const [before, after] = [`${atMs - 1}`, `${atMs}`].map((at) => shaOf(`${repository} ${at}`));
  const url = `https://github.com/${FIRM}/${repository}/commit/${after}`;
  const commit = {
    ...body.head_commit,
    id: after,
    message,
    url,
    timestamp: seconds(atMs),
    added: [],
    removed: [],
    modified: files,
  };
  body.repository = { ...repositoryOf(body.repository, repository), pushed_at: Math.floor(atMs / 1000) };
  body.sender = { ...body.sender, login: by };
  return {
    event: 'push',
    body: { ...body, ref: 'refs/heads/main', before, after, created: false, commits: [commit], head_commit: commit },
  };
}

/** What GitHub sends of a webhook's own beginning, and of what is no change. */
export const githubOther = (event) => ({
  event,
  body: read(`github/${event === 'ping' ? 'ping.00' : `${event}.completed.00`}.json`),
});

/** @param {{ project: string, id: number, atMs: number, by: string, status: string, words: string }} of */
export function gitlabDeployment({ project, id, atMs, by, status, words }) {
  const body = read('gitlab/deployment.2025.success.json');
  const path = `${FIRM}/${project}`;
  const web = `https://gitlab.com/${path}`;
  const sha = shaOf(`${project} ${id}`);
  return {
    event: 'Deployment Hook',
    body: {
      ...body,
      ...{ status, status_changed_at: spaced(atMs), deployment_id: id, deployable_url: `${web}/-/jobs/${id}`, ref: 'main' },
      project: { ...body.project, id: idOf(project), name: project, path_with_namespace: path, web_url: web },
      ...{ user: { ...body.user, username: by, name: by }, short_sha: sha.slice(0, 8), commit_url: `${web}/-/commit/${sha}` },
      commit_title: words,
    },
  };
}

const sign = (secret, text) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

/**
 * Headers of a delivery, each as its sender makes them.
 * @param {{ provider: string, secret: string, id: string, event: string, text: string }} of
 */
export function headersOf({ provider, secret, id, event, text }) {
  if (provider === 'forge_a')
    return { 'x-github-event': event, 'x-github-delivery': id, 'x-hub-signature-256': sign(secret, text) };
  if (provider === 'forge_b') return { 'x-gitlab-event': event, 'x-gitlab-event-uuid': id, 'x-gitlab-token': secret };
  return { 'x-svc-delivery': id, 'x-svc-signature': sign(secret, text) };
}
