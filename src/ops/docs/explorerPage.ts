// /docs/admin: the explorer of the admin API, from schema.graphql, with a login that fills in the header.
import type { Assets } from './assets.ts';
import type { DocsOptions } from './docsOptions.ts';
import { escapeHtml, renderPage } from './page.ts';

export function explorerPage({ demo: { login } }: DocsOptions, assets: Assets): string {
  return renderPage(
    {
      title: 'Admin API · Campaign and analytics backend',
      path: '/docs/admin',
      kind: 'explorer',
      styles: [assets['graphiql.css'], assets['graphiql-explorer.css'], assets['explorer.css']],
      scripts: [
        assets['react.js'],
        assets['react-dom.js'],
        assets['graphiql.js'],
        assets['graphiql-explorer.js'],
        assets['explorer.js'],
      ],
      body: `<main id="main"><h1 class="hidden">Admin API</h1>
<form class="bar" id="login">
<label>E-mail <input name="email" type="email" value="${escapeHtml(login.email)}" placeholder="you@example.com" autocomplete="off"></label>
<label>Password <input name="password" type="password" value="${escapeHtml(login.password)}" autocomplete="new-password"></label>
<button>Log in</button>
<p id="session" role="status">Log in for the <code>Authorization</code> header, or write it below.</p>
</form>
<div id="explorer"></div></main>
<noscript><p>The explorer needs JavaScript. The contract itself is <a href="/schema.graphql">schema.graphql</a>.</p></noscript>`,
    },
    assets,
  );
}
