import { watchFocus } from '../ui/focus/use-return-focus.ts';

// As main.tsx does before it draws anything.
watchFocus();
document.documentElement.lang = 'en';
