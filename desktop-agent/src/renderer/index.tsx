import './styles/index.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { createStore } from './store.ts';
import { applyTheme } from './theme.ts';

// Before the first paint, so that a dark desktop never sees a light flash.
applyTheme('system');
const root = document.getElementById('root');
if (root) createRoot(root).render(<App store={createStore(window.agent)} />);
