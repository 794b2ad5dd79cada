/** The part of Electron that the main process uses; handed in, so that a fake can stand in for faults. */
export type Electron = Pick<
  typeof import('electron'),
  | 'app'
  | 'BrowserWindow'
  | 'Menu'
  | 'Notification'
  | 'Tray'
  | 'clipboard'
  | 'dialog'
  | 'ipcMain'
  | 'nativeImage'
  | 'nativeTheme'
  | 'powerMonitor'
  | 'protocol'
  | 'screen'
  | 'session'
  | 'utilityProcess'
>;
