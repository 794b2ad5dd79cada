import { z } from 'zod';
import { permitted, router } from '#api';
import { sha256 } from '#crypto';
import { AppError, type AuditEntry, actorOf, type Ctx, type TenantId } from '#kernel';
import type { NamedSubject } from './erase-subject.ts';
import { attest, type ErasureRow } from './erasures.ts';

const Erased = z.array(z.object({ table: z.string(), rows: z.number() }));
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const TenantAttestation = z.object({
  tenant: z.string(),
  requested_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
  erased: Erased,
  /** Of the other fields as JSON in this order. */
  sha256: Sha256,
});
const SubjectAttestation = z.object({ erased_at: z.iso.datetime(), erased: Erased, sha256: Sha256 });

const SubjectInput = z.object({ email: z.email().max(320).optional(), agent: z.uuid().optional() });

/** Exactly one of the two; a route's input may have no refinement of its own. */
function readSubject({ email, agent }: z.infer<typeof SubjectInput>): NamedSubject {
  if (email !== undefined && agent === undefined) return { email };
  if (agent !== undefined && email === undefined) return { agent };
  throw new AppError('bad_request', 'Give either email or agent.');
}

export interface LifecycleVerbs {
  eraseTenant(tenant: TenantId, actor: AuditEntry['actor']): Promise<ErasureRow>;
  eraseSubject(ctx: Ctx, subject: NamedSubject): Promise<Record<string, number>>;
  now(): number;
}

const attestSubject = (erased: Readonly<Record<string, number>>, atMs: number): z.infer<typeof SubjectAttestation> => {
  const tables = Object.entries(erased).map(([table, rows]) => ({ table, rows }));
  const document = { erased_at: new Date(atMs).toISOString(), erased: tables.sort((a, b) => (a.table < b.table ? -1 : 1)) };
  return { ...document, sha256: sha256(JSON.stringify(document)).toString('hex') };
};

/** `lifecycle.*`: what is erased is the tenant of whoever asks, or somebody in it. */
export function createLifecycleProcedures(verbs: LifecycleVerbs) {
  const tags = ['lifecycle'];
  const eraseSubject = permitted('lifecycle.erase', {
    rest: { method: 'POST', path: '/lifecycle/subjects/erase', tags, summary: 'Erases a person with their devices, or a device' },
  })
    .input(SubjectInput)
    .output(SubjectAttestation)
    .mutation(async ({ ctx, input }) => {
      const erased = await verbs.eraseSubject(ctx, readSubject(input));
      return attestSubject(erased, verbs.now());
    });
  const eraseTenant = permitted('lifecycle.erase', {
    rest: { method: 'POST', path: '/lifecycle/tenant/erase', tags, summary: 'Erases the whole tenant', errors: ['conflict'] },
  })
    .input(z.object({ confirm: z.string().max(63) }))
    .output(TenantAttestation)
    .mutation(async ({ ctx, input }) => {
      const { tenant } = ctx.principal;
      if (input.confirm !== tenant) throw new AppError('bad_request', 'confirm must be the ID of your tenant.');
      return attest(await verbs.eraseTenant(tenant, actorOf(ctx.principal)));
    });
  return router({ eraseSubject, eraseTenant });
}
