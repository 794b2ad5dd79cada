import type { CannotAuthor, OneProposal, Proposal, ProposalAuthor } from '@svc/contracts/proposals/proposal';
import { AppError } from '#kernel';
import { type Command, type CommandInput, type CommandOption, textOption } from './command.ts';
import type { RestClient } from './rest-client.ts';
import { writeTestFile } from './tests-file.ts';

export interface ProposeDeps {
  clientOf: (input: CommandInput) => RestClient;
  reaching: Readonly<Record<string, CommandOption>>;
  /** What every command that signs in says of its token. */
  token: string;
}

/** Lines that YAML does not read. */
const comment = (text: string): string =>
  text
    .split('\n')
    .map((line) => `# ${line}`)
    .join('\n');

function describe({ rationale, author, fields, reasons, secrets }: OneProposal): string[] {
  const inferred = Object.entries(fields).filter(([path, origin]) => origin === 'inferred' && path !== 'name');
  return [
    `${rationale} (${author})`,
    ...inferred.map(([path]) => `inferred: ${path}${reasons[path] === undefined ? '' : `: ${reasons[path]}`}`),
    ...secrets.map((name) => `to be made before it runs: npm run svc -- tests secret set ${name} --hosts HOST`),
  ];
}

const isModelAway = (error: unknown): boolean =>
  error instanceof AppError &&
  (error.code === 'unavailable' || error.code === 'forbidden' || error.code === 'egress_denied' || error.code === 'rate_limited');

/** What the server says beside its sentence: what could be meant, and requests that would do. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'cannot_author') return error;
  const { choices = [], examples = [] } = (error.more ?? {}) as Partial<CannotAuthor>;
  const lines = [
    error.message,
    ...choices.map(({ test }) => `could be meant: ${test.type} ${test.target}`),
    ...examples.map((example) => `for example: ${example}`),
  ];
  return new AppError('cannot_author', lines.join('\n'));
}

async function propose(
  client: RestClient,
  input: CommandInput,
  { prompt, author }: { prompt: string; author?: ProposalAuthor },
): Promise<Proposal> {
  const ask = async (by: ProposalAuthor | undefined): Promise<Proposal> =>
    await client({ method: 'POST', path: '/ai/author', body: { prompt, ...(by === undefined ? {} : { author: by }) } });
  try {
    return await ask(author);
  } catch (error) {
    if (author !== undefined || !isModelAway(error)) throw error;
    // The rules need no model. Where it was the server that was away, they say so themselves.
    const proposal = await ask('heuristic');
    input.print(comment(`The model did not answer (${(error as AppError).message}) This is by rules.`));
    return proposal;
  }
}

function readAuthor(input: CommandInput): ProposalAuthor | undefined {
  const author = textOption(input, 'author');
  if (author === undefined || author === 'heuristic' || author === 'model') return author;
  throw new AppError('bad_request', '--author must be heuristic or model.');
}

export const createProposeCommand = ({ clientOf, reaching, token }: ProposeDeps): Command => ({
  name: 'tests propose',
  summary: 'Proposes synthetic tests for a request in plain words, as YAML for `tests apply`.',
  details: `Nothing is made: the YAML is what would be. Lines that begin with # say what was concluded rather than asked for.\n${token}`,
  positionals: [{ name: 'REQUEST', help: 'for example: "ping 10.0.0.1 every 30 s"' }],
  options: {
    author: { type: 'string', value: 'WHO', help: 'heuristic or model; default: the model where one is configured' },
    ...reaching,
  },
  async run(input) {
    const [prompt = ''] = input.positionals;
    const author = readAuthor(input);
    const client = clientOf(input);
    const proposal = await propose(client, input, { prompt, ...(author === undefined ? {} : { author }) }).catch(
      (error: unknown) => {
        throw withAdvice(error);
      },
    );
    const all = [proposal, ...proposal.more];
    for (const one of all) input.print(comment(describe(one).join('\n')));
    input.print(writeTestFile(all.map(({ test }) => test)).trimEnd());
  },
});
