interface WebAssemblyApi {
  /** Pages of 64 KiB. A shared one grows without taking earlier buffers away; it begins at a page of the machine. */
  readonly Memory: new (size: {
    initial: number;
    maximum: number;
    shared: true;
  }) => { readonly buffer: SharedArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ) => { readonly exports: Readonly<Record<string, unknown>> };
}

/** What is used of Node's WebAssembly; its types leave that to those of browsers. */
export const webAssembly = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
