import './styles/index.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { FailedPage } from './failed-page.tsx';
import { createStore } from './store.ts';
import { applyTheme } from './theme.ts';

// Before the first paint, so that a dark desktop never sees a light flash.
applyTheme('system');
const element = document.getElementById('root');
if (element) {
  const root = createRoot(element, {
    onUncaughtError: (error) => {
      console.error(error);
      root.render(<FailedPage />);
    },
  });
  root.render(<App store={createStore(window.agent)} />);
}
