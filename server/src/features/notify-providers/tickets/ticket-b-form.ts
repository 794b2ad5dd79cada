import { field, readConnection } from '../calls/connection.ts';
import type { About } from '../context.ts';

export const AUTO = 'auto';
/** Done in Jira's simplified workflow, and another edge or none elsewhere. */
const DONE = '31';

export const FIELDS = [
  field('url', 'Site', {
    help: 'The address of Jira: https://example.atlassian.net, or that of a Data Center with its context path.',
    ...{ is_required: true, placeholder: 'https://example.atlassian.net' },
  }),
  field('credential', 'E-mail and API token, or personal access token', {
    help: 'Cloud: email:token of an account (id.atlassian.com > Security > API tokens). Data Center: a personal access token. The account browses the project, creates issues, comments and moves them.',
    ...{ is_secret: true, is_required: true, placeholder: 'network-bot@example.com:ATATT...' },
  }),
  field('project', 'Project key', {
    help: 'The key in front of its issues, such as OPS.',
    ...{ is_required: true, placeholder: 'OPS' },
  }),
  field('issue_type', 'Issue type', { help: "The name of one of the project's issue types.", fallback: 'Task' }),
  field('resolve_transition', 'Transition that resolves', {
    help: 'The id of a transition, 31 in the simplified workflow; auto takes the first that leads to a status of the category done.',
    fallback: DONE,
  }),
  field('resolution', 'Resolution', { help: 'Where the screen of that transition demands one: its name, such as Done.' }),
  field('priority', 'Priority', { help: 'The name of the priority of every issue. Empty: the project decides.' }),
];

export const ABOUT: About = {
  ...{ kind: 'ticket_b', name: 'Jira', fields: FIELDS },
  testWarning: "A test opens an issue and moves it to done: the project's notifications apply.",
  capabilities: () => ({
    ...{ hasKey: false, canBeFound: true, canUpdate: true, canAcknowledge: true, canResolve: true },
    ...{ reopens: 'same', confirms: false, canLook: true },
  }),
  pace: () => ({ perMinute: 60, concurrency: 2, burst: 10, gathers: 1 }),
  parse: (given) => {
    const { to, faults } = readConnection(given, { fields: FIELDS });
    const { project = '', resolve_transition: transition = '' } = to.settings;
    if (project && !/^[A-Za-z][A-Za-z0-9_]*$/.test(project))
      faults.add('project', 'A project key is made of letters, digits and _.');
    if (transition !== AUTO && !/^\d+$/.test(transition))
      faults.add('resolve_transition', 'The transition is a number as Jira shows it, or auto.');
    faults.throwAny();
    const url = to.url.replace(/\/rest\/api\/\w+(\/.*)?$/, '');
    return { ...to, url, settings: { ...to.settings, project: project.toUpperCase() } };
  },
};
