/** The one style sheet of the pages below /auth; names and values are those of the console's tokens. */
export const AUTH_STYLE = `@font-face { font-family: "Inter"; src: url("/fonts/inter-latin-wght.woff2") format("woff2"); font-weight: 400 700; font-display: swap; }
:root {
  color-scheme: light dark;
  --bg: #f5f6f7; --surface: #ffffff; --sunken: #eef0f3; --hover: #f3f5f8; --line: #e0e4e9; --line-strong: #858e9a;
  --ink: #15191e; --ink-2: #434c57; --ink-3: #5d6773;
  --accent: #1c5cc9; --accent-solid: #1c5cc9; --accent-on: #ffffff; --focus: #1c5cc9; --error: #b3261e;
  --font: "Inter", system-ui, "Segoe UI", "Liberation Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #101317; --surface: #16191e; --sunken: #1e2329; --hover: #1b2026; --line: #2a3038; --line-strong: #6d7886;
    --ink: #e9ecf0; --ink-2: #b6bec9; --ink-3: #939daa;
    --accent: #82b1ff; --accent-solid: #2a67d6; --focus: #82b1ff; --error: #ff8577;
  }
}
@media (prefers-contrast: more) { :root { --line: var(--line-strong); --ink-3: var(--ink-2); } }
*, *::before, *::after { box-sizing: border-box; }
html, body { margin: 0; min-height: 100%; }
body { font: 400 13px/20px var(--font); color: var(--ink); background: var(--bg); font-feature-settings: "cv05", "cv08"; -webkit-font-smoothing: antialiased; }
body { display: grid; grid-template-rows: auto 1fr auto; min-height: 100vh; }
header { display: flex; align-items: center; gap: 8px; height: 48px; padding: 0 20px; border-bottom: 1px solid var(--line); background: var(--surface); font-weight: 600; }
header svg { display: block; flex: none; }
main { width: 100%; max-width: 400px; margin: 0 auto; padding: 48px 20px; }
h1 { margin: 0 0 4px; font-size: 20px; line-height: 28px; font-weight: 600; letter-spacing: -.011em; text-wrap: pretty; }
p { margin: 0 0 12px; color: var(--ink-2); text-wrap: pretty; }
.card { margin-top: 20px; padding: 20px; border: 1px solid var(--line); border-radius: 6px; background: var(--surface); }
label { display: block; margin-bottom: 4px; font-weight: 500; }
input { display: block; width: 100%; height: 36px; margin-bottom: 16px; padding: 0 10px; border: 1px solid var(--line-strong); border-radius: 6px; background: var(--bg); color: var(--ink); font: inherit; }
input[aria-invalid="true"] { border-color: var(--error); }
.hint { margin: -10px 0 16px; font-size: 12px; line-height: 16px; color: var(--ink-3); }
.notice { margin: 16px 0 0; padding: 8px 10px; border-left: 3px solid var(--accent); background: var(--sunken); color: var(--ink); }
.other { margin: 16px 0 0; }
.fault { margin: 0 0 16px; padding: 8px 10px; border-left: 3px solid var(--error); background: var(--sunken); color: var(--ink); }
button, .button { display: flex; align-items: center; justify-content: center; width: 100%; height: 36px; padding: 0 12px; border: 1px solid var(--accent-solid); border-radius: 6px; background: var(--accent-solid); color: var(--accent-on); font: 600 13px/20px var(--font); text-decoration: none; cursor: pointer; }
button:hover, .button:hover { filter: brightness(1.06); }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
code { padding: 1px 4px; border-radius: 3px; background: var(--sunken); color: var(--ink); font: 12px/16px var(--mono); overflow-wrap: anywhere; }
footer { padding: 12px 20px; color: var(--ink-3); font-size: 12px; line-height: 16px; text-align: center; }
@media (forced-colors: active) { button, .button { border-color: ButtonText; } }
`;

/** Our mark as the pages' icon; its ink follows the reader's theme. */
export const MARK_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -3 26 26" fill="none" stroke="#15191e" stroke-width="2.2" stroke-linecap="round"><style>@media (prefers-color-scheme: dark) { svg { stroke: #e9ecf0 } }</style><path d="M1.5 6.5H7M19 13.5h5.5"/><circle cx="13" cy="10" r="7"/><circle cx="13" cy="10" r="2.2" fill="currentColor" stroke="none"/></svg>`;
