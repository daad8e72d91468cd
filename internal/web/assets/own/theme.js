// The page's colours before its first paint: what the person chose (the cookie), or what the system prefers.
//
//   <form data-theme>   chooses without loading the page again, so that nothing that somebody typed is lost
(() => {
  'use strict';
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const chosen = () => document.cookie.match(/(?:^|;\s*)terrier_theme=(light|dark)(?:;|$)/)?.[1] ?? '';
  const apply = () => {
    document.documentElement.dataset.bsTheme = chosen() || (dark.matches ? 'dark' : 'light');
    document.querySelectorAll('[data-theme] button').forEach((choice) => choice.setAttribute('aria-pressed', choice.value === chosen()));
  };
  apply();
  dark.addEventListener('change', apply);
  addEventListener('pageshow', apply); // a browser that goes back shows the page as it was left
  document.addEventListener('submit', (event) => {
    if (event.target.matches('[data-theme]') && event.submitter) {
      event.preventDefault();
      const age = event.submitter.value ? 31536000 : 0;
      document.cookie = `terrier_theme=${event.submitter.value}; path=/; max-age=${age}; samesite=lax${location.protocol === 'https:' ? '; secure' : ''}`;
      apply();
    }
  });
})();
