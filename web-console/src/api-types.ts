import type { AppRouter } from '@svc/server';
import type { createTRPCClient } from '@trpc/client';

/** The server's procedures as they are, taken from its router as types only: what does not fit does not compile. */
type Client = ReturnType<typeof createTRPCClient<AppRouter>>;

/** The procedure at a dotted name. */
type At<Tree, Name extends string> = Name extends `${infer Head}.${infer Rest}`
  ? Head extends keyof Tree
    ? At<Tree[Head], Rest>
    : never
  : Name extends keyof Tree
    ? Tree[Name]
    : never;

type Call<Procedure> = Procedure extends { query: infer Method } | { mutate: infer Method } ? Method : never;
type InputOf<Procedure> = Call<Procedure> extends (...args: infer Args) => unknown ? Args[0] : never;
type OutputOf<Procedure> = Call<Procedure> extends (...args: never[]) => Promise<infer Output> ? Output : never;

/** Dotted names of all procedures below a node that are called by `Method`. */
type NamesBy<Method extends 'query' | 'mutate', Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends Record<Method, unknown>
    ? Key
    : Tree[Key] extends Record<'query', unknown> | Record<'mutate', unknown> | ((...args: never[]) => unknown)
      ? never
      : `${Key}.${NamesBy<Method, Tree[Key]>}`;
}[keyof Tree & string];

/** Every read of the server. */
export type QueryName = NamesBy<'query', Client>;
/** Every change. */
export type MutationName = NamesBy<'mutate', Client>;

export type Input<Name extends QueryName | MutationName> = InputOf<At<Client, Name>>;
export type Output<Name extends QueryName | MutationName> = OutputOf<At<Client, Name>>;

export type Me = Output<'identity.me'>;
export type Member = Output<'identity.members.list'>['items'][number];
export type Invite = Output<'identity.members.list'>['invites'][number];
export type ApiToken = Output<'identity.tokens.list'>['items'][number];
export type AuditRecord = Output<'audit.list'>['items'][number];
export type Verification = Output<'audit.verify'>;
export type EnrolToken = Output<'fleet.enrolTokens.list'>['items'][number];
export type FirstRun = Output<'fleet.firstRun'>;
export type PickListEntry = FirstRun['pick_list'][number];
export type Told = Output<'fleet.disclosure'>;
export type PolicyView = Output<'fleet.policy.get'>;
export type FoundTrace = Output<'traces.list'>['items'][number];
export type FoundSpan = Output<'traces.spans'>['items'][number];
export type Scatter = Output<'traces.scatter'>;
export type Latency = Output<'traces.latency'>;
export type TraceFacets = Output<'traces.facets'>;
export type Trace = Output<'traces.get'>;
export type TraceSpan = Trace['spans'][number];
export type LogRecord = Output<'logs.record'>;
export type LogHistogram = Output<'logs.histogram'>;
export type LogFacets = Output<'logs.facets'>;
export type MetricRange = Output<'metrics.range'>;
export type MetricKind = MetricRange['kind'];
export type MetricName = Output<'metrics.names'>['items'][number];
export type Exemplar = Output<'metrics.exemplars'>['items'][number];
export type Topology = Output<'topology.map'>;
export type MapNode = Topology['nodes'][number];
export type MapEdge = Topology['edges'][number];
export type ExportStatus = Output<'otlpExport.status'>;
export type TestPointAnswer = Output<'otlpExport.sendTestPoint'>;
export type OtlpToken = Output<'otlp.tokens.list'>['items'][number];
export type SetAside = Output<'bus.quarantine.list'>;
export type CardinalityOverflow = Output<'cardinality.overflows'>['items'][number];
export type OtlpStatus = Output<'otlp.status'>;
