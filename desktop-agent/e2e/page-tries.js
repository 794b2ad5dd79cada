// What runs inside the page, where it is a page: each function stands alone and is handed over as text.

/** What the page's world holds. */
export function lookAround() {
  return {
    globals: ['require', 'process', 'module', 'Buffer', 'global', 'electron', 'ipcRenderer'].filter((name) => name in window),
    bridge: Object.keys(window.agent).sort(),
    url: location.href,
  };
}

/** Every way to fetch, frame, draw, run or style something that is not ours. */
export async function tryToLoad(away) {
  const violated = [];
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => violated.push(effectiveDirective));
  const fetched = await fetch(`${away}/fetch`).then(
    () => 'fetched',
    () => 'refused',
  );
  const image = new Image();
  image.src = `${away}/picture`;
  const frame = document.createElement('iframe');
  frame.src = `${away}/frame`;
  const script = document.createElement('script');
  script.textContent = 'window.inlineRan = true';
  const style = document.createElement('style');
  style.textContent = 'body { outline: 7px solid red }';
  document.body.append(image, frame, script, style);
  // As text, from a timer of the page's own: what a debugger evaluates is let through.
  setTimeout('window.textRan = true', 0);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const outline = getComputedStyle(document.body).outlineWidth;
  for (const one of [image, frame, script, style]) one.remove();
  return { fetched, text: 'textRan' in window, inline: 'inlineRan' in window, outline, violated: [...new Set(violated)].sort() };
}

export function tryToLeave(away) {
  location.href = `${away}/navigation`;
}

/** Another window, each permission, camera and place. */
export async function tryToBeGranted(away) {
  const opened = window.open(`${away}/window`) !== null;
  const states = [];
  for (const name of ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read'])
    states.push((await navigator.permissions.query({ name })).state);
  const camera = await navigator.mediaDevices.getUserMedia({ video: true }).then(
    () => 'given',
    () => 'refused',
  );
  const place = await new Promise((resolve) =>
    navigator.geolocation.getCurrentPosition(
      () => resolve('given'),
      () => resolve('refused'),
    ),
  );
  return { opened, states: [...new Set(states)], camera, place };
}

/** Calls that no page of ours makes; what each came to. */
export function tryToLie(calls) {
  return Promise.all(
    calls.map(([name, input]) =>
      window.agent.call(name, input).then(
        (value) => `got ${JSON.stringify(value)}`,
        (error) => error.message,
      ),
    ),
  );
}

export const closeWindow = () => void window.agent.closeWindow();
export const setSettings = (change) => window.agent.setSettings(change);
export const openView = () => window.agent.open();
