import type { FaceSettings } from './bridge.ts';

const dark = matchMedia('(prefers-color-scheme: dark)');
let chosen: FaceSettings['theme'] = 'system';

const show = (): void => {
  document.documentElement.dataset.theme = chosen === 'dark' || (chosen === 'system' && dark.matches) ? 'dark' : 'light';
};
dark.addEventListener('change', show);

export function applyTheme(theme: FaceSettings['theme']): void {
  chosen = theme;
  show();
}
