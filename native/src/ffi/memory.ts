/**
 * Memory that a system call may write to: outside the V8 heap, so that its address holds.
 * Never `koffi.view`: Electron forbids external buffers and ends the process.
 */
export const allocate = (bytes: number): Buffer => Buffer.from(new ArrayBuffer(bytes));
