import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { answerError } from '#edge';
import { AppError, type Clock, type SignedDelivery } from '#kernel';
import type { IntakeCounts } from './intake-counts.ts';
import type { WebhookCredential } from './kind.ts';
import type { Refusals } from './refusals.ts';

/** Refused here, whatever the provider. */
type OwnRefusal = 'wrong_provider' | 'wrong_signature' | 'too_large';

export interface Receiver<Provider extends string, Known extends WebhookCredential<Provider>, Reason extends string> {
  /** Deliveries come to `POST {path}/{provider}/{id}`. */
  path: string;
  providers: readonly Provider[];
  maxBytes: number;
  /** Of one address. */
  rate: { perMinute: number };
  registry: { find(id: string): Promise<Known | undefined> };
  refusals: Pick<Refusals<Reason | OwnRefusal>, 'add'>;
  counts: Pick<IntakeCounts<Reason | OwnRefusal>, 'add' | 'addUnknown'>;
  /** Why one secret does not let a delivery in; undefined: it does. */
  verify(provider: Provider, secret: string, delivery: SignedDelivery): Reason | OwnRefusal | undefined;
  /** Keeps a verified delivery durably; gives what is answered. */
  keep(credential: Known, delivery: SignedDelivery): Promise<object>;
  /** What it is counted as where that failed. */
  unkept: Reason;
  clock: Clock;
}

interface OfWebhook {
  provider: string;
  id: string;
}

const REFUSED = 'The delivery is not signed by this webhook’s secret.';
/** Compared with when there is no such webhook, so that an answer takes as long. */
const NOBODY = 'nobody has this webhook';

/** The first reason that holds for the current secret; undefined where one that counts now lets it in. */
function refusalOf<Provider extends string, Known extends WebhookCredential<Provider>, Reason extends string>(
  { verify }: Receiver<Provider, Known, Reason>,
  credential: Known,
  given: { provider: string; delivery: SignedDelivery },
): Reason | OwnRefusal | undefined {
  if (credential.provider !== given.provider) return 'wrong_provider';
  const reasons = credential.secrets
    .filter(({ untilMs }) => untilMs === null || untilMs > given.delivery.nowMs)
    .map(({ value }) => verify(credential.provider, value, given.delivery));
  return reasons.includes(undefined) ? undefined : (reasons[0] ?? 'wrong_signature');
}

/** Verifies a delivery before anything of it is read, and has it kept before it is answered. */
async function take<Provider extends string, Known extends WebhookCredential<Provider>, Reason extends string>(
  receiver: Receiver<Provider, Known, Reason>,
  request: FastifyRequest<{ Params: OfWebhook }>,
): Promise<object> {
  const { registry, refusals, counts, clock } = receiver;
  const { id } = request.params;
  const provider = receiver.providers.find((one) => one === request.params.provider);
  if (!provider) throw new AppError('not_found', 'There is nothing at this address.');
  const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  const delivery: SignedDelivery = { headers: request.headers, body, nowMs: clock.now() };
  const credential = await registry.find(id);
  if (!credential) {
    receiver.verify(provider, NOBODY, delivery);
    counts.addUnknown();
    throw new AppError('unauthorized', REFUSED);
  }
  const refuse = (reason: Reason | OwnRefusal): void => {
    counts.add(credential.tenant, reason);
    refusals.add(credential.tenant, credential.id, reason);
  };
  const refusal = refusalOf(receiver, credential, { provider, delivery });
  if (refusal) {
    refuse(refusal);
    throw new AppError('unauthorized', REFUSED);
  }
  try {
    const answer = await receiver.keep(credential, delivery);
    counts.add(credential.tenant, 'accepted');
    return answer;
  } catch (error) {
    refuse(receiver.unkept);
    throw error;
  }
}

/** One that is too large is not read to its end, so its signature is not known: it is counted for its id alone. */
async function noteTooLarge<Provider extends string, Known extends WebhookCredential<Provider>, Reason extends string>(
  { registry, counts, refusals }: Receiver<Provider, Known, Reason>,
  request: FastifyRequest,
): Promise<void> {
  const { id = '' } = request.params as Partial<OfWebhook>;
  const credential = await registry.find(id).catch(() => undefined);
  if (!credential) return;
  counts.add(credential.tenant, 'too_large');
  refusals.add(credential.tenant, credential.id, 'too_large');
}

/** No session: a signature over the very bytes of the body, or a token, is the credential, and the tenant is the credential's. */
export function mountReceiver<Provider extends string, Known extends WebhookCredential<Provider>, Reason extends string>(
  app: FastifyInstance,
  receiver: Receiver<Provider, Known, Reason>,
): void {
  const { path, maxBytes: bodyLimit, rate } = receiver;
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => done(null, body));
    scope.setErrorHandler<FastifyError>(async (error, request, reply) => {
      if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') await noteTooLarge(receiver, request);
      answerError(error, request, reply);
      return reply;
    });
    scope.post<{ Params: OfWebhook }>(`${path}/:provider/:id`, { bodyLimit, config: { rate } }, async (request, reply) =>
      reply.code(202).send(await take(receiver, request)),
    );
  });
}
