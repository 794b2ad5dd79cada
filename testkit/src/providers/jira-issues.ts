import type { KeptObject } from './kept.ts';
import type { Answer } from './server.ts';

/** The projects, issues and workflow of the simulated Jira. */

export interface JiraProject {
  key: string;
  /** Optional fields that stand on its create screen: others refuse the whole issue. */
  screen?: readonly ('labels' | 'priority')[];
  /** Ids of the workflow's edges; the default is that of the simplified one, where 31 is Done. */
  edges?: readonly Edge[];
  /** What a transition to Done demands. */
  demandsResolution?: boolean;
}

export interface Edge {
  id: string;
  name: string;
  from: readonly Category[];
  to: { name: string; category: Category };
}

export type Category = 'new' | 'indeterminate' | 'done';

export interface Issue {
  id: string;
  key: string;
  fields: { summary: string; description?: string; labels?: string[]; issuetype?: unknown; priority?: unknown };
  status: { name: string; category: Category };
  resolution: string | null;
  comments: string[];
  lines: string[];
  atMs: number;
}

const ANY: readonly Category[] = ['new', 'indeterminate', 'done'];
export const SIMPLIFIED: readonly Edge[] = [
  { id: '11', name: 'To Do', from: ANY, to: { name: 'To Do', category: 'new' } },
  { id: '21', name: 'In Progress', from: ANY, to: { name: 'In Progress', category: 'indeterminate' } },
  { id: '31', name: 'Done', from: ANY, to: { name: 'Done', category: 'done' } },
];
/** A workflow of somebody's own: other ids, in another language, one step at a time. */
export const OWN_WORKFLOW: readonly Edge[] = [
  { id: '4', name: 'Bearbeiten', from: ['new'], to: { name: 'In Arbeit', category: 'indeterminate' } },
  { id: '31', name: 'Zurückstellen', from: ['indeterminate'], to: { name: 'Offen', category: 'new' } },
  { id: '5', name: 'Lösen', from: ['new', 'indeterminate'], to: { name: 'Gelöst', category: 'done' } },
  { id: '3', name: 'Wieder öffnen', from: ['done'], to: { name: 'Wieder offen', category: 'indeterminate' } },
];

export const refuseFields = (errors: Record<string, string>, messages: string[] = []): Answer => ({
  status: 400,
  body: { errorMessages: messages, errors },
});

/** What Jira has against the fields of a create; undefined: nothing. */
export function findFieldFaults(project: JiraProject, fields: Record<string, unknown>): Answer | undefined {
  const errors: Record<string, string> = {};
  const { summary, description, issuetype } = fields as {
    summary?: string;
    description?: unknown;
    issuetype?: { name?: string };
  };
  if (!summary) errors.summary = 'You must specify a summary of the issue.';
  else if (summary.length > 255) errors.summary = 'Summary must be less than 255 characters.';
  else if (/[\r\n]/.test(summary)) errors.summary = 'The summary is invalid because it contains newline characters.';
  if (typeof description === 'string' && description.length > 32_767) errors.description = 'The entered text is too long.';
  if (!issuetype?.name) errors.issuetype = 'Specify an issue type';
  const screen: readonly string[] = project.screen ?? ['labels', 'priority'];
  for (const name of ['labels', 'priority'])
    if (name in fields && !screen.includes(name))
      errors[name] = `Field '${name}' cannot be set. It is not on the appropriate screen, or unknown.`;
  return Object.keys(errors).length > 0 ? refuseFields(errors) : undefined;
}

export const edgesFrom = (project: JiraProject, issue: Issue): readonly Edge[] =>
  (project.edges ?? SIMPLIFIED).filter((edge) => edge.from.includes(issue.status.category));

export const presentStatus = ({ status }: Issue) => ({ name: status.name, statusCategory: { key: status.category } });

export function presentEdges(project: JiraProject, issue: Issue) {
  return edgesFrom(project, issue).map(({ id, name, to }) => ({
    ...{ id, name, to: { name: to.name, statusCategory: { key: to.category } }, isGlobal: true },
    hasScreen: to.category === 'done' && project.demandsResolution === true,
    fields: to.category === 'done' && project.demandsResolution ? { resolution: { required: true, name: 'Resolution' } } : {},
  }));
}

interface Move {
  transition?: { id?: unknown };
  fields?: { resolution?: { name?: string } };
}

/** Moves the issue along an edge; the refusal where it cannot. */
export function transit(project: JiraProject, issue: Issue, { transition, fields }: Move): Answer | undefined {
  const id = transition?.id;
  if (typeof id !== 'string' || !/^\d+$/.test(id)) return refuseFields({}, ["'transition' identifier must be an integer"]);
  const edge = edgesFrom(project, issue).find((one) => one.id === id);
  if (!edge)
    return refuseFields({}, [
      `It seems that you have tried to perform a workflow operation (${id}) that is not valid for the current state of this issue.`,
    ]);
  const resolution = fields?.resolution?.name;
  if (edge.to.category === 'done' && project.demandsResolution && !resolution)
    return refuseFields({ resolution: 'Resolution is required.' });
  if (resolution && !project.demandsResolution)
    return refuseFields({ resolution: "Field 'resolution' cannot be set. It is not on the appropriate screen, or unknown." });
  issue.status = { ...edge.to };
  issue.resolution = edge.to.category === 'done' ? (resolution ?? 'Done') : null;
  issue.lines.push(`${edge.name} -> ${edge.to.name}`);
  return undefined;
}

export function toObject(issue: Issue): KeptObject {
  const { summary, description = '', labels = [] } = issue.fields;
  const label = labels.find((one) => one.startsWith('svc-'));
  const key = label ?? /svc-[\w-]+/.exec(description)?.[0] ?? '';
  const state = ({ new: 'open', indeterminate: 'acknowledged', done: 'resolved' } as const)[issue.status.category];
  return {
    id: issue.id,
    name: issue.key,
    key,
    state,
    title: summary,
    text: description,
    lines: [...issue.lines],
    atMs: issue.atMs,
  };
}
