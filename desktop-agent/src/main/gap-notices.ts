import type { ServiceLink } from '@svc/contracts/agent/window-ipc';

export interface GapNoticesDeps {
  /** Milliseconds without a service after which a person is told beside the icon. */
  afterMs: number;
  gone(): void;
  back(): void;
}

export interface GapNotices {
  see(link: ServiceLink): void;
  close(): void;
}

/** Tells of a service that stays away, and of its return if its going was told; a quick restart is left to icon and words. */
export function createGapNotices({ afterMs, gone, back }: GapNoticesDeps): GapNotices {
  let timer: NodeJS.Timeout | undefined;
  let told = false;
  return {
    see({ reachable }) {
      if (!reachable) {
        if (told || timer) return;
        timer = setTimeout(() => {
          told = true;
          gone();
        }, afterMs);
        return;
      }
      clearTimeout(timer);
      timer = undefined;
      if (told) back();
      told = false;
    },
    close: () => clearTimeout(timer),
  };
}
