import { z } from 'zod';
import { IPC_CALLS, IPC_EVENTS, IPC_FAULTS, type IpcCall, ServiceState } from './ipc.ts';

/**
 * Between the window's renderer and the main process that holds it: the calls of the service that a page may make, handed on, and what
 * only main can do. Main checks who asks and what is asked; what is not on this page is refused. Times are Unix milliseconds.
 */

/** Pages that main may open; `helpdesk` is the preview of what goes on the clipboard. */
export const PAGES = ['now', 'collect', 'sent', 'settings', 'about', 'helpdesk'] as const;
export const LANGUAGE_CHOICES = ['system', 'en', 'de', 'fr', 'es'] as const;
export const THEMES = ['system', 'light', 'dark'] as const;

/** What main keeps for this person, over restarts, in a file of mode 0600. */
export const FaceSettings = z.strictObject({
  language: z.enum(LANGUAGE_CHOICES),
  theme: z.enum(THEMES),
  /** Null: this system, or who installed it, offers no such choice. */
  startAtLogin: z.boolean().nullable(),
});
export type FaceSettings = z.infer<typeof FaceSettings>;

/** What only main knows of the desktop around the window. */
export const DesktopView = z.strictObject({
  platform: z.enum(['linux', 'darwin', 'win32']),
  /** The system's preferred languages, best first, such as `fr-CA`. */
  languages: z.array(z.string().max(64)).max(32),
  /** False: this desktop shows no tray. */
  tray: z.boolean(),
  /** Where the device's key lies: sealed by the system's key store, or in a file that only this account may read. */
  keyStore: z.enum(['system', 'file']),
});
export type DesktopView = z.infer<typeof DesktopView>;

/** The service: there with its state, or not, and when main tries it next; null while it does. */
export const ServiceLink = z.discriminatedUnion('reachable', [
  z.strictObject({ reachable: z.literal(true), state: ServiceState }),
  z.strictObject({ reachable: z.literal(false), nextTryMs: z.number().nonnegative().nullable() }),
]);
export type ServiceLink = z.infer<typeof ServiceLink>;

/** The calls of the service that a page may make: it may not greet, note or answer for the desktop. */
export const HANDED_ON = [
  'testNow',
  'testDeeper',
  'pause',
  'answerDisclosure',
  'disclosure',
  'switchItem',
  'ledger',
  'ledgerEntry',
  'about',
  'helpdesk',
] as const satisfies readonly IpcCall[];
export type HandedOn = (typeof HANDED_ON)[number];

/** `unreachable`: the service does not answer; main tries it again. */
export const CALL_FAULTS = [...IPC_FAULTS, 'unreachable'] as const;
const result = <O extends z.ZodType>(output: O) =>
  z.discriminatedUnion('ok', [
    z.strictObject({ ok: z.literal(true), output }),
    z.strictObject({ ok: z.literal(false), code: z.enum(CALL_FAULTS) }),
  ]);

const nothing = z.strictObject({});
const call = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output });
const handOn = <C extends HandedOn>(name: C) =>
  call(
    IPC_CALLS[name].input as (typeof IPC_CALLS)[C]['input'],
    result(IPC_CALLS[name].output as (typeof IPC_CALLS)[C]['output']),
  );

/** Every call that a page may make. */
export const WINDOW_CALLS = {
  testNow: handOn('testNow'),
  testDeeper: handOn('testDeeper'),
  pause: handOn('pause'),
  answerDisclosure: handOn('answerDisclosure'),
  disclosure: handOn('disclosure'),
  switchItem: handOn('switchItem'),
  ledger: handOn('ledger'),
  ledgerEntry: handOn('ledgerEntry'),
  about: handOn('about'),
  helpdesk: handOn('helpdesk'),
  /** Everything for the first paint. `page` is what the tray asked for. */
  open: call(
    nothing,
    z.strictObject({
      service: ServiceLink,
      settings: FaceSettings,
      desktop: DesktopView,
      page: z.enum(PAGES).nullable(),
      update: IPC_EVENTS.update.nullable(),
    }),
  ),
  setSettings: call(FaceSettings.partial(), FaceSettings),
  /** Asks the person where to; false where they cancelled or the disk refused. `name` is a bare file name. */
  saveFile: call(
    z.strictObject({ name: z.string().regex(/^[\w-][\w.-]{0,99}$/), text: z.string().max(64 * 1024 * 1024) }),
    z.boolean(),
  ),
  copy: call(z.strictObject({ text: z.string().min(1).max(20_000) }), z.boolean()),
  restartForUpdate: call(nothing, nothing),
  closeWindow: call(nothing, nothing),
  /** What this program with its icon and window holds in memory: all its processes, what they share counted in each; null: not known yet. */
  ownMemory: call(nothing, z.strictObject({ bytes: z.number().nonnegative(), closedBytes: z.number().nonnegative().nullable() })),
} as const;
export type WindowCall = keyof typeof WINDOW_CALLS;
export type WindowOutput<C extends WindowCall> = z.output<(typeof WINDOW_CALLS)[C]['output']>;

/** What main sends unasked to the window. */
export const WINDOW_EVENTS = {
  service: ServiceLink,
  update: IPC_EVENTS.update,
  openPage: z.enum(PAGES),
  settings: FaceSettings,
} as const;
export type WindowEvent = keyof typeof WINDOW_EVENTS;
export type WindowValue<E extends WindowEvent> = z.output<(typeof WINDOW_EVENTS)[E]>;
