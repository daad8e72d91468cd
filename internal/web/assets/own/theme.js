// The page's colours before its first paint: what the person chose (the cookie), or what the system prefers.
(() => {
  'use strict';
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const chosen = () => document.cookie.match(/(?:^|;\s*)terrier_theme=(light|dark)(?:;|$)/)?.[1];
  const apply = () => {
    document.documentElement.dataset.bsTheme = chosen() ?? (dark.matches ? 'dark' : 'light');
  };
  apply();
  dark.addEventListener('change', apply);
})();
