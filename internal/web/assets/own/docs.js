// Shows the API's document in Swagger UI. The address of the document stands at the element that is filled.
(() => {
  'use strict';

  const place = document.getElementById('swagger');
  document.documentElement.classList.toggle('dark-mode', document.documentElement.dataset.bsTheme === 'dark');
  window.SwaggerUIBundle({
    url: place.dataset.url,
    domNode: place,
    deepLinking: true,
    validatorUrl: null,
    presets: [window.SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
  });
})();
