import { FaceSettings } from '@svc/contracts/agent/window-ipc';
import { z } from 'zod';
import { openKeptFile } from '../kept-file.ts';
import type { StartAtLogin } from './start-at-login.ts';

const Kept = z.strictObject({
  language: FaceSettings.shape.language,
  theme: FaceSettings.shape.theme,
  /** The person was told once that this desktop shows no tray. */
  toldNoTray: z.boolean(),
});
type Kept = z.infer<typeof Kept>;
const FIRST: Kept = { language: 'system', theme: 'system', toldNoTray: false };

export interface SettingsStore {
  current(): FaceSettings;
  /** In force before it is on disk; a disk that refuses costs the choice at the next start and nothing else. */
  change(change: Partial<FaceSettings>): Promise<FaceSettings>;
  /** True the first time only. */
  tellNoTray(): boolean;
}

/** The face's own settings (0600); a damaged file counts as none. Start at login is the system's to keep and is read there. */
export async function openSettings(path: string, startAtLogin: StartAtLogin | null): Promise<SettingsStore> {
  const file = openKeptFile(path);
  const parsed = Kept.safeParse(await file.read());
  let kept = parsed.success ? parsed.data : FIRST;
  const keep = (next: Kept): Promise<void> => {
    kept = next;
    return file.write(next).catch(() => undefined);
  };
  const current = (): FaceSettings => ({
    language: kept.language,
    theme: kept.theme,
    startAtLogin: startAtLogin?.isOn() ?? null,
  });
  return {
    current,
    async change({ startAtLogin: on, ...change }) {
      if (typeof on === 'boolean') startAtLogin?.set(on);
      await keep({ ...kept, ...change });
      return current();
    },
    tellNoTray() {
      if (kept.toldNoTray) return false;
      void keep({ ...kept, toldNoTray: true });
      return true;
    },
  };
}
