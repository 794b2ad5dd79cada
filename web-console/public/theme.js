// Runs before the first paint, so that a dark page never flashes light. Reads the choice that src/app/theme.ts stores.
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem('svc.theme');
  } catch {}
  const dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
