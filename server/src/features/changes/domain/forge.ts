import { type Fields, firstLine, listOf, wordOf } from './fields.ts';

/** What both forges' deliveries have in common. */

/** The commit of a branch that is gone, or was not there before. */
export const isNothing = (sha: unknown): boolean => typeof sha !== 'string' || /^0*$/.test(sha);

/** `main` of `refs/heads/main`, `tag v1` of `refs/tags/v1`. */
export function branchOf(ref: unknown): string {
  const text = wordOf(ref, 200) ?? '';
  return text.replace(/^refs\/heads\//, '').replace(/^refs\/tags\//, 'tag ');
}

export const oneCommit = (commits: readonly Fields[]): boolean => commits.length === 1;

/** Files that commits touch, each once. */
export function pathsOf(commits: readonly Fields[], most: number): string[] {
  const paths = new Set<string>();
  for (const commit of commits)
    for (const list of [commit.added, commit.modified, commit.removed])
      for (const one of listOf(list)) {
        if (paths.size >= most) return [...paths];
        const path = wordOf(one, 500);
        if (path !== null) paths.add(path);
      }
  return [...paths];
}

const MOST_NAMED = 10;

/** How many commits went where, and the first lines of the last ones. */
export function summaryOf(commits: readonly Fields[], repository: string | null, branch: string): string {
  const count = commits.length === 1 ? '1 commit' : `${commits.length} commits`;
  const lines = commits
    .slice(-MOST_NAMED)
    .reverse()
    .flatMap(({ message }) => firstLine(message, 200) ?? []);
  return [`${count} to ${branch}${repository === null ? '' : ` of ${repository}`}`, ...lines].join('\n');
}

/** `shop main (f95f852) to production`. */
export function titleOfDeploy(deploy: {
  repository: string | null;
  ref: unknown;
  sha: unknown;
  environment: string | null;
}): string {
  const name = deploy.repository?.split('/').at(-1) ?? 'Deployment';
  const [ref, sha] = [wordOf(deploy.ref, 100), wordOf(deploy.sha, 100)?.slice(0, 7)];
  const version = ref !== null && sha !== undefined && !ref.startsWith(sha) ? `${ref} (${sha})` : (sha ?? ref ?? '');
  return [name, version, deploy.environment === null ? '' : `to ${deploy.environment}`].filter(Boolean).join(' ');
}

export const presentAttributes = (given: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ''),
  );
