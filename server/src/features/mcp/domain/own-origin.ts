/**
 * Whether a page of ours sent a request, or no page at all. The address that people call is asked, not the `Host` of the request: a page
 * elsewhere whose name is led to this server would name itself there.
 */
export const isOwnOrigin = (origin: string | undefined, publicUrl: string): boolean =>
  origin === undefined || origin === new URL(publicUrl).origin;
