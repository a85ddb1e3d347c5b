// In the browser, on every page: the search, the contents, the copy buttons and the button for the colours.
/* global chooseTheme */
const theme = document.getElementById('theme');
const contents = document.getElementById('contents');
const headings = document.getElementById('headings');
const search = document.getElementById('search');
const found = document.getElementById('found');
const shown = 12;
let entries;

function nameTheme() {
  theme.textContent = document.documentElement.dataset.theme === 'dark' ? 'Light' : 'Dark';
  theme.setAttribute('aria-label', `${theme.textContent} colours`);
}
theme.hidden = false;
theme.addEventListener('click', () => chooseTheme(theme.textContent.toLowerCase()));
document.addEventListener('theme', nameTheme);
nameTheme();

if (contents) {
  contents.hidden = false;
  headings.classList.add('closed');
  const open = (isOpen) => {
    contents.setAttribute('aria-expanded', String(isOpen));
    headings.classList.toggle('closed', !isOpen);
  };
  contents.addEventListener('click', () => open(contents.getAttribute('aria-expanded') === 'false'));
  headings.addEventListener('click', (event) => event.target.closest('a') && open(false));
  markReadHeading();
}

/** Marks the heading that is being read in the contents. */
function markReadHeading() {
  const links = new Map([...headings.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
  const mark = (id) => {
    headings.querySelector('[aria-current]')?.removeAttribute('aria-current');
    const link = links.get(id);
    link?.setAttribute('aria-current', 'true');
    // Not scrollIntoView, which would scroll the page too.
    if (link && headings.parentElement.scrollHeight > headings.parentElement.clientHeight)
      headings.parentElement.scrollTop = link.offsetTop - headings.parentElement.clientHeight / 2;
  };
  const seen = new IntersectionObserver(
    (changes) => changes.forEach(({ isIntersecting, target }) => isIntersecting && mark(target.id)),
    {
      rootMargin: '-60px 0px -75% 0px',
    },
  );
  document.querySelectorAll('main :is(h2, h3)[id]').forEach((heading) => seen.observe(heading));
}

/** The clipboard's own interface exists over HTTPS and on localhost only. */
async function copy(text) {
  if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  const area = Object.assign(document.createElement('textarea'), { value: text });
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

for (const block of document.querySelectorAll('.code')) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    await copy(block.querySelector('code').textContent).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Not copied'),
    );
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  block.append(button);
}

/** The closed parts around the target of a deep link are opened. */
function openTarget() {
  const id = location.hash.slice(1);
  const target = id === '' ? null : document.getElementById(id);
  for (let part = target?.closest('details'); part; part = part.parentElement.closest('details')) part.open = true;
  if (target) target.scrollIntoView();
}
addEventListener('hashchange', openTarget);
openTarget();

search.hidden = false;
search.addEventListener('submit', (event) => {
  event.preventDefault();
  found.querySelector('a')?.click();
});
search.elements.words.addEventListener('focus', loadEntries);
search.elements.words.addEventListener('input', showFound);
search.addEventListener('keydown', moveInFound);
search.addEventListener('focusout', ({ relatedTarget }) => !search.contains(relatedTarget) && close());
found.addEventListener('click', (event) => event.target.closest('a') && close());
addEventListener('keydown', (event) => {
  const writes = event.target.closest('input, textarea, select, [contenteditable], .graphiql-container');
  if (event.key !== '/' || writes || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  search.elements.words.focus();
});

async function loadEntries() {
  if (entries) return;
  const answer = await fetch('/docs/search.json');
  entries = answer.ok ? await answer.json() : undefined;
  showFound();
}

function close() {
  found.hidden = true;
}

/** The entries with all words: first those with all words in the title, then those that have the words most often. */
function findEntries(words) {
  const holds = (text) => words.every((word) => text.toLowerCase().includes(word));
  const all = entries.filter(({ title, text }) => holds(`${title} ${text}`));
  const count = ({ text }) => words.reduce((sum, word) => sum + text.toLowerCase().split(word).length, 0);
  const rank = (entry) => (holds(entry.title) ? 1e6 : 0) + count(entry);
  return all.sort((one, other) => rank(other) - rank(one));
}

function showFound() {
  const words = search.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0 || !entries;
  if (found.hidden) return;
  const all = findEntries(words);
  const more = all.length > shown ? `, the first ${shown} below` : '';
  found.querySelector('p').textContent = all.length === 0 ? 'Nothing found' : `${all.length} found${more}`;
  found.querySelector('ul').replaceChildren(...all.slice(0, shown).map((entry) => listItem(entry, words)));
}

function listItem({ page, url, title, text }, words) {
  const item = document.createElement('li');
  const link = Object.assign(document.createElement('a'), { href: url });
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const from = text.lastIndexOf(' ', Math.max(0, Math.min(...places, text.length) - 30)) + 1;
  const excerpt = `${from > 0 ? '… ' : ''}${text.slice(from, from + 110)}`;
  const part = (name, content) =>
    Object.assign(document.createElement('span'), { className: name, textContent: content });
  link.append(part('title', title), part('page', page), part('excerpt', excerpt));
  item.append(link);
  return item;
}

function moveInFound(event) {
  if (event.key === 'Escape') {
    close();
    search.elements.words.focus();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || found.hidden) return;
  event.preventDefault();
  const places = [search.elements.words, ...found.querySelectorAll('a')];
  places.at((places.indexOf(document.activeElement) + step) % places.length)?.focus();
}
