import type { ErrorCode } from '@svc/contracts/error-codes';
import type { Permission } from '@svc/contracts/permissions';
import type { ZodObject } from 'zod';

/** How a procedure looks as a REST route below /v1. */
export interface RestMeta {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** For example `/endpoints/:id`; every parameter is a key of the input. */
  path: string;
  /** Of success; default 200. */
  status?: number;
  tags?: readonly string[];
  summary?: string;
  errors?: readonly ErrorCode[];
  /** For query strings, where numbers and lists arrive as text: a schema with z.coerce, same keys as the input. */
  query?: ZodObject;
  /** Content type of a `text` answer other than JSON, for example text/csv; the output is then a string. */
  contentType?: string;
  /** The output is `{media_type, base64}` of a picture that never changes; over REST its bytes are sent. */
  picture?: boolean;
}

export interface ProcedureMeta {
  rest?: RestMeta;
  /** Checked before the handler runs; absent only on the few procedures that any signed-in person may call. */
  permission?: Permission;
  /** A mutation that changes nothing and so writes no audit entry (say why in a comment there). */
  unaudited?: boolean;
}
