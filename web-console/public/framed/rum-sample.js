// The page that a person tries the SDK of real users on: slow, failing or quick at their wish.
const SLOW_MS = 300;
const said = document.getElementById('said');
let answered = 0;

const ACTS = {
  fast: () => 'Answered at once.',
  slow: () => {
    const end = performance.now() + SLOW_MS;
    // The main thread is busy, as with a long task of a real page.
    while (performance.now() < end);
    return `Answered after ${SLOW_MS} ms.`;
  },
  error: () => {
    setTimeout(() => {
      throw new Error('Thrown on purpose: its text is never sent.');
    });
    return 'An error was thrown.';
  },
  missing: () => {
    answered += 1;
    // Below /assets an unknown address is a 404, and its status is all that is read of it.
    new Image().src = `/assets/missing-${answered}.png`;
    return 'Something was requested that is not there.';
  },
};

document.addEventListener('click', ({ target }) => {
  const act = ACTS[target?.dataset?.act];
  if (act) said.textContent = act();
});
