import { type Html, html } from './html.ts';

const PRODUCT = 'Network Observability Service';

const MARK = html`<svg width="20.8" height="16" viewBox="0 0 26 20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round"><path d="M1.5 6.5H7M19 13.5h5.5"/><circle cx="13" cy="10" r="7"/><circle cx="13" cy="10" r="2.2" fill="currentColor" stroke="none"/></svg>`;

/** A whole document: no script, no inline style, nothing from elsewhere. */
function page(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title} · ${PRODUCT}</title>
<link rel="icon" type="image/svg+xml" href="/auth/assets/mark.svg">
<link rel="stylesheet" href="/auth/assets/auth.css">
</head>
<body>
<header>${MARK}<span>${PRODUCT}</span></header>
<main>${content}</main>
<footer>This server contacts nothing that its configuration does not name.</footer>
</body>
</html>
`.markup;
}

const faultBox = (fault: string | undefined): Html | undefined =>
  fault === undefined ? undefined : html`<p class="fault" role="alert" id="fault">${fault}</p>`;

const invalid = (fault: string | undefined): Html =>
  fault === undefined ? html`` : html` aria-invalid="true" aria-describedby="fault"`;

export interface SignInPage {
  action: string;
  email: string;
  /** When a new password ended the session that this browser had. */
  changedAt?: Date | undefined;
  fault?: string | undefined;
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

const passwordChanged = (at: Date): Html =>
  html`<p class="notice" role="status">Your password was changed on ${TIME.format(at)} UTC, and every session of your account ended. If you did not change it, tell an administrator.</p>`;

export const signInPage = ({ action, email, changedAt, fault }: SignInPage): string =>
  page(
    'Sign in',
    html`<h1>Sign in</h1>
<p>With the e-mail address and password of your account here.</p>
${changedAt && passwordChanged(changedAt)}
<form class="card" method="post" action="${action}">
${faultBox(fault)}
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="${email}"${invalid(fault)}${email === '' && html` autofocus`}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="256"${invalid(fault)}${email !== '' && html` autofocus`}>
<button type="submit">Sign in</button>
</form>`,
  );

export interface JoinPage {
  kind: 'claim' | 'invite';
  tenantName: string;
  token: string;
  email: string;
  name: string;
  /** The link is for this e-mail address alone. */
  isBound: boolean;
  fault?: string | undefined;
}

const newPasswordFields = (fault: string | undefined): Html => html`<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="256" aria-describedby="rule"${fault !== undefined && html` aria-invalid="true"`}>
<p class="hint" id="rule">At least 12 characters. Four or five ordinary words make a good one.</p>
<label for="again">Password once more</label>
<input id="again" name="again" type="password" autocomplete="new-password" required maxlength="256">`;

/** A new password for one account. */
export const newPasswordPage = ({ kind, token, email, fault }: JoinPage): string =>
  page(
    'New password',
    html`<h1>Choose a new password</h1>
<p>For ${email}. This link works once, and ends every session of the account.</p>
<form class="card" method="post" action="/auth/${kind}">
${faultBox(fault)}
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="email" autocomplete="username" value="${email}">
${newPasswordFields(fault)}
<button type="submit">Set password and sign in</button>
</form>`,
  );

/** Claiming the first administrator's account, or taking an invitation. */
export const joinPage = ({ kind, tenantName, token, email, name, isBound, fault }: JoinPage): string =>
  page(
    kind === 'claim' ? 'Become administrator' : 'Join',
    html`<h1>${kind === 'claim' ? 'Become the administrator' : `Join ${tenantName}`}</h1>
<p>${
      kind === 'claim'
        ? html`Choose how you sign in to the tenant “${tenantName}”. This link works once.`
        : html`Choose a name and a password for your new account. This link works once.`
    }</p>
<form class="card" method="post" action="/auth/${kind}">
${faultBox(fault)}
<input type="hidden" name="token" value="${token}">
<label for="name">Name</label>
<input id="name" name="name" autocomplete="name" maxlength="100" value="${name}"${name === '' && html` autofocus`}>
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="254" value="${email}"${isBound && html` readonly`}${invalid(fault)}>
${newPasswordFields(fault)}
<button type="submit">${kind === 'claim' ? 'Set password and sign in' : 'Join and sign in'}</button>
</form>
<p class="other">Do you have an account on this server already? <a href="/auth/login?link=${token}">Sign in and use this link</a>.</p>`,
  );

/** For an account that there is already: its password, or its own sign-in. */
export const haveAccountPage = ({ kind, tenantName, token, email, fault }: Omit<JoinPage, 'name' | 'isBound'>): string =>
  page(
    kind === 'claim' ? 'Become administrator' : 'Join',
    html`<h1>${kind === 'claim' ? 'Become the administrator' : `Join ${tenantName}`}</h1>
<p>There is an account for ${email} on this server. Enter its password, and it becomes ${kind === 'claim' ? 'an administrator' : 'a member'} of “${tenantName}” as well.</p>
<form class="card" method="post" action="/auth/${kind}">
${faultBox(fault)}
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="email" autocomplete="username" value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="256" autofocus${invalid(fault)}>
<button type="submit">Join and sign in</button>
</form>
<p class="other">Or <a href="/auth/login?link=${token}">sign in first</a>. If the password is lost, ask an administrator of a tenant that you are in, or the operator of this server.</p>`,
  );

/** The same where people sign in with an identity provider outside. */
export const joinOutsidePage = ({ kind, tenantName, token }: Pick<JoinPage, 'kind' | 'tenantName' | 'token'>): string =>
  page(
    kind === 'claim' ? 'Become administrator' : 'Join',
    html`<h1>${kind === 'claim' ? 'Become the administrator' : `Join ${tenantName}`}</h1>
<p>Sign in with your organisation's account. It becomes ${kind === 'claim' ? 'the administrator' : 'a member'} of “${tenantName}”. This link works once.</p>
<div class="card"><a class="button" href="/auth/login?link=${token}">Continue to sign in</a></div>`,
  );

export interface NoticePage {
  title: string;
  text: Html;
  action?: { href: string; label: string };
}

/** One thing to know and at most one thing to do. */
export const noticePage = ({ title, text, action }: NoticePage): string =>
  page(
    title,
    html`<h1>${title}</h1>
<p>${text}</p>
${action && html`<div class="card"><a class="button" href="${action.href}">${action.label}</a></div>`}`,
  );

export const INVITE_GONE: NoticePage = {
  title: 'This link was used or has expired.',
  text: html`Ask whoever invited you for a new one.`,
  action: { href: '/auth/login', label: 'Sign in instead' },
};

export const LINK_GONE: NoticePage = {
  title: 'This link was used or has expired.',
  text: html`Ask whoever sent it for a new one. On the server itself, <code>npm run svc -- admin-link --tenant TENANT</code> creates one for an administrator of that tenant.`,
  action: { href: '/auth/login', label: 'Sign in instead' },
};
