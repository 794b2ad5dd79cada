import type { Adapter, AdapterPayload } from 'oidc-provider';
import { sha256 } from '#crypto';
import type { Clock } from '#kernel';
import type { Relational } from '#relational';
import type { Vault } from './context.ts';

export interface ArtifactDeps {
  relational: Pick<Relational, 'directory'>;
  vault: Vault;
  clock: Clock;
}

const DEFAULT_LIFE_SECONDS = 600;

/** What one sign-in keeps on the server between two requests: found by the hash of its id, sealed, gone when it expires. */
export function createArtifacts({ relational, vault, clock }: ArtifactDeps) {
  const context = (model: string) => `artifact/${model}`;
  return {
    async put(model: string, id: string, artifact: { value: unknown; lifeSeconds: number }): Promise<void> {
      const expiresAt = new Date(clock.now() + artifact.lifeSeconds * 1000);
      const sealed = vault.seal(artifact.value, context(model));
      await relational.directory('put_oidc_artifact', [model, sha256(id), sealed, null, null, expiresAt]);
    },
    /** Reads it and leaves it where it is. */
    async find<T>(model: string, id: string): Promise<T | undefined> {
      const args = [model, sha256(id), null, new Date(clock.now())];
      const [row] = await relational.directory<{ sealed: Buffer }>('find_oidc_artifact', args);
      return row && vault.open<T>(row.sealed, context(model));
    },
    /** Reads it and removes it in one step: of two callers at once, one gets it. */
    async take<T>(model: string, id: string): Promise<T | undefined> {
      const args = [model, sha256(id), new Date(clock.now())];
      const [row] = await relational.directory<{ sealed: Buffer }>('take_oidc_artifact', args);
      return row && vault.open<T>(row.sealed, context(model));
    },
  };
}

export type Artifacts = ReturnType<typeof createArtifacts>;

/** oidc-provider's storage of one model, in PostgreSQL. */
export function createIssuerAdapter({ relational, vault, clock }: ArtifactDeps, model: string): Adapter {
  const now = () => new Date(clock.now());
  const context = `artifact/${model}`;
  const find = async (idHash: Buffer | null, uidHash: Buffer | null): Promise<AdapterPayload | undefined> => {
    type Row = { sealed: Buffer; consumed_at: Date | null };
    const [row] = await relational.directory<Row>('find_oidc_artifact', [model, idHash, uidHash, now()]);
    if (!row) return undefined;
    const payload = vault.open<AdapterPayload>(row.sealed, context);
    return row.consumed_at ? { ...payload, consumed: Math.floor(row.consumed_at.getTime() / 1000) } : payload;
  };
  return {
    async upsert(id, payload, expiresIn) {
      const expiresAt = new Date(clock.now() + (expiresIn ?? DEFAULT_LIFE_SECONDS) * 1000);
      const grant = payload.grantId === undefined ? null : sha256(payload.grantId);
      const uid = payload.uid === undefined ? null : sha256(payload.uid);
      await relational.directory('put_oidc_artifact', [model, sha256(id), vault.seal(payload, context), grant, uid, expiresAt]);
    },
    find: async (id) => await find(sha256(id), null),
    findByUid: async (uid) => await find(null, sha256(uid)),
    // The device flow is off, so nothing has a user code.
    findByUserCode: async () => undefined,
    async consume(id) {
      await relational.directory('consume_oidc_artifact', [model, sha256(id), now()]);
    },
    async destroy(id) {
      await relational.directory('drop_oidc_artifacts', [model, sha256(id), null]);
    },
    async revokeByGrantId(grantId) {
      await relational.directory('drop_oidc_artifacts', [null, null, sha256(grantId)]);
    },
  };
}
