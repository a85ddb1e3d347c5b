// In the browser, before the page is drawn: the colours that the reader chose, or else those of the system.
(() => {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const read = () => {
    try {
      return localStorage.getItem('docs-theme');
    } catch {
      return null;
    }
  };
  const apply = () => {
    document.documentElement.dataset.theme = read() ?? (system.matches ? 'dark' : 'light');
    document.dispatchEvent(new Event('theme'));
  };
  system.addEventListener('change', apply);
  addEventListener('storage', apply);
  globalThis.chooseTheme = (theme) => {
    try {
      localStorage.setItem('docs-theme', theme);
      apply();
    } catch {
      document.documentElement.dataset.theme = theme;
      document.dispatchEvent(new Event('theme'));
    }
  };
  apply();
})();
