// In the browser, before the page is drawn: the colours that the reader chose, or else those of the system; then the buttons.
const system = matchMedia('(prefers-color-scheme: dark)');
/** Redoc keeps the choice there too, and sets the same class. */
const stored = 'redoc.colorMode';

function chosen() {
  try {
    return localStorage.getItem(stored);
  } catch {
    return null;
  }
}

function show(theme) {
  document.documentElement.classList.remove('light', 'dark');
  document.documentElement.classList.add(theme);
  document.dispatchEvent(new Event('theme'));
}

const showChosen = () => show(chosen() || (system.matches ? 'dark' : 'light'));
showChosen();
system.addEventListener('change', showChosen);
addEventListener('storage', showChosen);

/** The clipboard's own interface exists over HTTPS and on localhost only. */
async function copy(text) {
  if (navigator.clipboard) return await navigator.clipboard.writeText(text);
  const area = Object.assign(document.createElement('textarea'), { value: text });
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

function addCopyButton(block) {
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

function nameThemeButton(button) {
  button.textContent = document.documentElement.classList.contains('dark') ? 'Light' : 'Dark';
  button.setAttribute('aria-label', `${button.textContent} colours`);
}

function choose(theme) {
  try {
    localStorage.setItem(stored, theme);
  } catch {
    // Without storage the choice is this page's alone.
  }
  show(theme);
}

document.addEventListener('DOMContentLoaded', () => {
  document.querySelectorAll('.code').forEach(addCopyButton);
  const button = document.getElementById('theme');
  // Redoc has one of its own.
  button.hidden = document.body.classList.contains('reference');
  button.addEventListener('click', () => choose(button.textContent.toLowerCase()));
  document.addEventListener('theme', () => nameThemeButton(button));
  nameThemeButton(button);
});
