import type { Evidence } from '@svc/contracts/tests/run-report';
import type { BlobStore } from '#blobs';
import { AppError, type Clock, type TenantId } from '#kernel';
import type { Relational, SystemDoor, TenantSql } from '#relational';

/** Evidence of runs: bytes in the blob store, a row beside it that says what there is and until when. */

const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;
/** Of one run: what contracts' Evidence may hold, as JSON, and a screenshot. */
const MAX_TEXT_BYTES = 512 * 1024;
export const MAX_SCREENSHOT_BYTES = 512 * 1024;
/** Of what a tenant may keep, in a minute of one process: what is beyond the bound goes by rounds only, and the disk is everybody's. */
const MINUTE_PART = 0.2;
const MINUTE_LEAST = 8 * 1024 * 1024;
const MINUTE_MS = 60_000;
/** Rows that go in one transaction. */
const AT_ONCE = 500;

export interface EvidenceOf {
  result_id: string;
  test_id: string;
  runner_id: string;
  started_at: string;
  evidence: Evidence;
}

export interface EvidenceDeps {
  relational: Relational;
  blobs: BlobStore;
  /** What a tenant may keep, bytes; the oldest goes beyond it. */
  maxBytes: number;
  clock: Clock;
}

type Place = { result_id: string; started_at: Date };

const folderOf = (tenant: TenantId): string => `test-evidence/t-${tenant}`;
const keyOf = (tenant: TenantId, { result_id: id, started_at: at }: Place, kind: 'json' | 'image'): string =>
  `${folderOf(tenant)}/${at.toISOString().slice(0, 10)}/${id}.${kind}`;

/** The media type by the first bytes; nothing else is ever sent as a picture. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) return 'image/png';
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'image/webp';
  if (bytes.length > 3 && bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'image/jpeg';
  return undefined;
}

function pictureOf(base64: string | undefined): { bytes: Buffer; type: string } | undefined {
  if (base64 === undefined) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  const type = mediaTypeOf(bytes);
  return type === undefined || bytes.length > MAX_SCREENSHOT_BYTES ? undefined : { bytes, type };
}

const INSERT = `INSERT INTO synthetic_test_evidence (tenant_id, result_id, test_id, runner_id, started_at, bytes, screenshot, kept_until)
  SELECT current_setting('app.tenant_id'), $1, $2, $3, $4, $5, $6, $7 ON CONFLICT DO NOTHING`;

async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

/** Counts what tenants send by the minute; AppError `rate_limited` for what is too much. */
function createIntake({ maxBytes, clock }: Pick<EvidenceDeps, 'maxBytes' | 'clock'>) {
  let minute = 0;
  const taken = new Map<TenantId, number>();
  return (tenant: TenantId, bytes: number): void => {
    const now = Math.floor(clock.now() / MINUTE_MS);
    if (now !== minute) taken.clear();
    minute = now;
    const sum = (taken.get(tenant) ?? 0) + bytes;
    if (sum > Math.max(MINUTE_LEAST, maxBytes * MINUTE_PART))
      throw new AppError('rate_limited', 'Too much evidence of this tenant within a minute.', { retryAfterSeconds: 60 });
    taken.set(tenant, sum);
  };
}

/** When the run began whose evidence is there under this id. */
async function findPlace(sql: TenantSql, id: string): Promise<Place | undefined> {
  const text = 'SELECT result_id, started_at FROM synthetic_test_evidence WHERE result_id = $1';
  return (await sql.query<Place>(text, [id])).rows[0];
}

async function removeRows(sql: TenantSql, places: readonly Place[]): Promise<void> {
  await sql.query('DELETE FROM synthetic_test_evidence WHERE result_id = ANY ($1::uuid[])', [
    places.map(({ result_id }) => result_id),
  ]);
}

/** Rows that are to go, the oldest first: what is past its time, else what is beyond the bound. */
async function findGoing(sql: TenantSql, { maxBytes, clock }: Pick<EvidenceDeps, 'maxBytes' | 'clock'>): Promise<Place[]> {
  const columns = 'result_id, started_at';
  const past = await sql.query<Place>(
    `SELECT ${columns} FROM synthetic_test_evidence WHERE kept_until <= $1 ORDER BY kept_until LIMIT ${AT_ONCE}`,
    [new Date(clock.now())],
  );
  if (past.rows.length > 0) return past.rows;
  const beyond = await sql.query<Place>(
    `SELECT ${columns} FROM (SELECT ${columns}, sum(bytes) OVER (ORDER BY started_at DESC, result_id) AS so_far
       FROM synthetic_test_evidence) e WHERE so_far > $1 ORDER BY started_at LIMIT ${AT_ONCE}`,
    [maxBytes],
  );
  return beyond.rows;
}

export function createEvidence(deps: EvidenceDeps) {
  const { relational, blobs, clock } = deps;
  const take = createIntake(deps);
  const removeBlobs = async (tenant: TenantId, places: readonly Place[]): Promise<void> => {
    for (const place of places) {
      await blobs.remove(keyOf(tenant, place, 'json'));
      await blobs.remove(keyOf(tenant, place, 'image'));
    }
  };

  return {
    /** Again is the first; what is no picture is left out of it. The bytes are there before the row is, and none stay without one. */
    async store(tenant: TenantId, { evidence, result_id, test_id, runner_id, started_at }: EvidenceOf): Promise<void> {
      const { screenshot, ...text } = evidence;
      const place = { result_id, started_at: new Date(started_at) };
      const json = Buffer.from(JSON.stringify(text));
      if (json.length > MAX_TEXT_BYTES) throw new AppError('too_large', 'The evidence of a run is too large.');
      const picture = pictureOf(screenshot);
      if (await relational.withSystemSql(tenant, (sql) => findPlace(sql, result_id))) return;
      take(tenant, json.length + (picture?.bytes.length ?? 0));
      await blobs.put(keyOf(tenant, place, 'json'), [json], { maxBytes: MAX_TEXT_BYTES });
      if (picture) await blobs.put(keyOf(tenant, place, 'image'), [picture.bytes], { maxBytes: MAX_SCREENSHOT_BYTES });
      const bytes = json.length + (picture?.bytes.length ?? 0);
      const until = new Date(Math.max(clock.now(), place.started_at.getTime()) + KEPT_MS);
      const kept = await relational.withSystemSql(tenant, async (sql) => {
        const row = [result_id, test_id, runner_id, place.started_at, bytes, picture?.type ?? '', until];
        return (await sql.query(INSERT, row)).rowCount === 1 ? place : await findPlace(sql, result_id);
      });
      // The same id at another time came meanwhile: nothing would ever find these bytes.
      if (kept && keyOf(tenant, kept, 'json') !== keyOf(tenant, place, 'json')) await removeBlobs(tenant, [place]);
    },
    async find(tenant: TenantId, resultIds: readonly string[]): Promise<Map<string, { screenshot: boolean }>> {
      if (resultIds.length === 0) return new Map();
      const text = 'SELECT result_id, screenshot FROM synthetic_test_evidence WHERE result_id = ANY ($1::uuid[])';
      const { rows } = await relational.withSystemSql(tenant, (sql) =>
        sql.query<{ result_id: string; screenshot: string }>(text, [resultIds]),
      );
      return new Map(rows.map(({ result_id, screenshot }) => [result_id, { screenshot: screenshot !== '' }]));
    },
    /** Of a run of this test; undefined where there is none, or none any more. */
    async read(tenant: TenantId, { testId, resultId }: { testId: string; resultId: string }) {
      const text = 'SELECT result_id, started_at, screenshot FROM synthetic_test_evidence WHERE result_id = $1 AND test_id = $2';
      const { rows } = await relational.withTenantSql(tenant, (sql) =>
        sql.query<Place & { screenshot: string }>(text, [resultId, testId]),
      );
      const [row] = rows;
      if (!row) return undefined;
      return {
        mediaType: row.screenshot === '' ? undefined : row.screenshot,
        async text(): Promise<Omit<Evidence, 'screenshot'> | undefined> {
          const open = await blobs.open(keyOf(tenant, row, 'json'));
          return open && (JSON.parse((await readAll(open.body)).toString('utf8')) as Omit<Evidence, 'screenshot'>);
        },
        async picture(): Promise<Buffer | undefined> {
          const open = row.screenshot === '' ? undefined : await blobs.open(keyOf(tenant, row, 'image'));
          return open && (await readAll(open.body));
        },
      };
    },
    /** Removes what is past its time or beyond the tenant's bound; gives how many runs' evidence went. */
    async prune(tenant: TenantId, system: SystemDoor): Promise<number> {
      for (let gone = 0; ; ) {
        const places = await system.withTenantSql(tenant, (sql) => findGoing(sql, deps));
        if (places.length === 0) return gone;
        await removeBlobs(tenant, places);
        await system.withTenantSql(tenant, (sql) => removeRows(sql, places));
        gone += places.length;
      }
    },
    /** All bytes of a tenant, with those whose row was never written. */
    async erase(tenant: TenantId): Promise<void> {
      for (;;) {
        const found = await blobs.list(folderOf(tenant), { limit: 1000 });
        for (const { key } of found) await blobs.remove(key);
        if (found.length < 1000) return;
      }
    },
  };
}
