/**
 * Why a request is refused as a whole. `malformed`: not OTLP; `too_deep`: values nested over MAX_DEPTH; `wrong_tenant`: a resource names
 * another tenant; `ambiguous_tenant`: a Resource, or its tenant, is given twice; `too_large`: cannot be cut into bus messages.
 */
export type OtlpFaultKind = 'malformed' | 'too_deep' | 'wrong_tenant' | 'ambiguous_tenant' | 'too_large';

/** The message is a sentence for the sender: it names fields and places, never what they held. */
export class OtlpFault extends Error {
  override readonly name = 'OtlpFault';
  readonly kind: OtlpFaultKind;
  /** Of the resource within the request, where one is to blame. */
  readonly resourceIndex: number | undefined;

  constructor(kind: OtlpFaultKind, message: string, resourceIndex?: number) {
    super(message);
    this.kind = kind;
    this.resourceIndex = resourceIndex;
  }
}
