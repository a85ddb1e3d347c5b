// In the browser: what a keyboard or a screen reader needs of Redoc's page, and Redoc has no option for.
const reference = document.getElementById('main');

new MutationObserver(() => {
  const contents = reference.querySelector('.menu-content');
  contents?.setAttribute('role', 'navigation');
  contents?.setAttribute('aria-label', 'Contents');
  // A table that is wider than the screen scrolls by itself.
  for (const table of reference.querySelectorAll('.md-table-wrapper:not([tabindex])'))
    Object.assign(table, { tabIndex: 0, role: 'group', ariaLabel: 'Table' });
  // The name hides the text of the button, which is the title of the chosen example.
  reference.querySelectorAll('button[aria-label="Example"]').forEach((button) => button.removeAttribute('aria-label'));
  for (const button of document.querySelectorAll('[data-component-name="Search/SearchInput"] button'))
    button.ariaLabel = 'Clear';
}).observe(document.body, { childList: true, subtree: true });
