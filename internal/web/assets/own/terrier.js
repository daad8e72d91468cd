// What pages do beyond links and forms. Everything listens at the document, so that parts which htmx brings later
// behave like the rest, and everything a page needs works without this file.
//
//   <button data-copy="#id">          copies that element's value or text
//   <form data-confirm="Question?">   asks before it is sent
//   <input data-check-all="name">     checks every checkbox of that name in its form
//   <input data-check-group>          checks every checkbox in its [data-group] that data-narrows left
//   <div data-counts="name">          its [data-count] say how many boxes of that name are checked in its form, or that all are chosen
//   <select data-submit>              sends its form when changed
//   <input data-typed hx-get="…">     asks for choices with what was typed so far, and the value of the element named by data-of;
//                                     data-with names fields whose values go with it
//   <div data-typing hx-post="…">     sends the name of the field that somebody is typing in, as long as its value is not final
//   <input data-adds>                 turns a chosen text into a checked box before it
//   <input data-slug-of="id">         follows the input with that id, a name, as a slug, until somebody types another
//   <div data-ticks>                  ticks the box "change" in it when anything else in it is touched
//   <form data-outdates="#id">        clears that element, which is about what was in the form, when the form changes
//   <details class="drop">            is closed by Escape, and when the pointer or the focus goes elsewhere; so are other menus
//   <details data-fold="racks">       remembers in a cookie that it was opened or closed
//   <input data-narrows="#id">        shows only those [data-item] in that element that have the typed words, and their [data-group]
//   <input data-leads>                Enter follows the link with the typed name, or else the first one that it left
//   /                                 moves to #search
//   <th data-depth="2">               is folded away with the row above it that is less deep; each list remembers its folded rows
//   <a data-hit>                      is reached from #search with the arrow keys; Escape leads back
(() => {
  'use strict';

  // say tells screen readers, through one quiet line at the page's end.
  function say(text) {
    let line = document.getElementById('said');
    if (!line) {
      line = document.createElement('div');
      line.id = 'said';
      line.className = 'visually-hidden';
      line.setAttribute('role', 'status');
      document.body.append(line);
    }
    line.textContent = text;
  }

  // copy selects what it copies: a page reached without TLS has no clipboard to write to, and where the older way
  // is refused too, the person need only press Ctrl+C.
  async function copy(source) {
    const field = source.matches('input, textarea');
    if (field) {
      source.select();
    } else {
      getSelection().selectAllChildren(source);
    }
    try {
      await navigator.clipboard.writeText(field ? source.value : source.textContent.trim());
      return true;
    } catch {
      return document.execCommand('copy');
    }
  }

  document.addEventListener('click', async (event) => {
    const button = event.target.closest('[data-copy]');
    const source = button && document.querySelector(button.dataset.copy);
    if (!source) {
      return;
    }
    const copied = await copy(source);
    say(copied ? 'Copied' : 'Selected: press Ctrl+C to copy');
    button.toggleAttribute('data-copied', copied);
    setTimeout(() => button.removeAttribute('data-copied'), 2000);
  });

  // On the way down, because htmx listens at the form itself.
  document.addEventListener('submit', (event) => {
    const question = event.target.dataset.confirm;
    if (question && !confirm(question)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }, true);

  function boxes(all) {
    if (all.matches('[data-check-group]')) {
      return [...all.closest('[data-group]').querySelectorAll('[data-item]:not([hidden]) input')];
    }
    const within = all.form ? [...all.form.elements] : [...document.querySelectorAll('input')];
    return within.filter((box) => box.type === 'checkbox' && box.name === all.dataset.checkAll && box !== all && !box.disabled && !box.closest('[hidden]'));
  }

  function showWhetherAllAreChecked() {
    for (const all of document.querySelectorAll('input[data-check-all], input[data-check-group]')) {
      const checked = boxes(all).map((box) => box.checked);
      all.checked = checked.length > 0 && checked.every(Boolean);
      all.indeterminate = !all.checked && checked.some(Boolean);
    }
    for (const counter of document.querySelectorAll('[data-counts]')) {
      const form = counter.closest('form');
      const checked = form.querySelectorAll(`input[name="${counter.dataset.counts}"]:checked`).length;
      const all = /^\d+$/.test(counter.dataset.all) ? counter.dataset.all : 'all';
      const count = form.elements.all?.checked ? all : checked;
      counter.querySelectorAll('[data-count]').forEach((place) => { place.textContent = count ? `${count} ` : ''; });
    }
  }
  showWhetherAllAreChecked();
  addEventListener('pageshow', showWhetherAllAreChecked); // a browser that goes back restores what was checked

  document.addEventListener('change', (event) => {
    const changed = event.target;
    if (changed.matches('select[data-submit]')) {
      changed.form.requestSubmit();
    } else if (changed.matches('input[data-check-all], input[data-check-group]')) {
      boxes(changed).forEach((box) => { box.checked = changed.checked; });
    }
    if (changed.type === 'checkbox') {
      showWhetherAllAreChecked();
    }
  });

  // Some browsers are set to keep nothing.
  function remembered() {
    try {
      return localStorage.getItem(`folded ${location.pathname}`);
    } catch {
      return null;
    }
  }

  function remember(folded) {
    try {
      localStorage.setItem(`folded ${location.pathname}`, folded);
    } catch {
      // the page works without
    }
  }

  // In a list that is a tree, a row with others below it gets a button that folds those away.
  function foldable(table) {
    const rows = [...table.tBodies[0].rows];
    const depths = rows.map((row) => Number(row.querySelector('th')?.dataset.depth ?? 0));
    const folded = new Set(remembered()?.split(' '));
    const show = () => {
      let most = Infinity;
      rows.forEach((row, i) => {
        row.hidden = depths[i] > most;
        if (!row.hidden) {
          const button = row.querySelector('.fold');
          most = button?.getAttribute('aria-expanded') === 'false' ? depths[i] : Infinity;
        }
      });
      showWhetherAllAreChecked();
    };
    rows.forEach((row, i) => {
      if (!(depths[i + 1] > depths[i])) {
        return;
      }
      const link = row.querySelector('th a');
      const id = link.getAttribute('href');
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'fold';
      button.setAttribute('aria-label', `Below ${link.textContent}`);
      button.setAttribute('aria-expanded', !folded.has(id));
      button.addEventListener('click', () => {
        const open = button.getAttribute('aria-expanded') === 'false';
        button.setAttribute('aria-expanded', open);
        folded[open ? 'delete' : 'add'](id);
        remember([...folded].slice(-1000).join(' '));
        show();
      });
      link.after(button);
    });
    show();
  }
  new Set([...document.querySelectorAll('th[data-depth]')].map((th) => th.closest('table'))).forEach(foldable);

  document.addEventListener('htmx:configRequest', (event) => {
    if (event.target.matches('[data-typed]')) {
      const kind = document.getElementById(event.target.dataset.of);
      event.detail.parameters = { typed: event.target.value, ...(kind && { of: kind.value }) };
      for (const name of event.target.dataset.with?.split(' ') ?? []) {
        event.detail.parameters[`with_${name}`] = event.target.form.elements[name]?.value ?? '';
      }
    }
    const { type, target } = event.detail.triggeringEvent ?? {};
    if (event.target.matches('[data-typing]') && type === 'input') {
      event.detail.parameters.typing = target.name;
    }
  });

  function add(input) {
    const value = input.value.trim();
    const offered = [...input.list.options].some((choice) => choice.value === value);
    const chosen = input.parentElement.querySelector('.chosen');
    if (!offered || [...chosen.querySelectorAll('input')].some((box) => box.value === value || box.parentElement.textContent.trim() === value)) {
      return;
    }
    const label = document.createElement('label');
    const box = document.createElement('input');
    label.className = 'form-check';
    box.className = 'form-check-input';
    box.type = 'checkbox';
    box.name = input.name;
    box.value = value;
    box.checked = true;
    label.append(box, ' ', value);
    chosen.append(label);
    input.value = '';
    say(`${value} is added`);
  }

  // Only what was picked or confirmed becomes a box. What was merely typed stays in the field and is sent as it is: a box
  // that appears when the field is left would move the button that somebody is pressing.
  document.addEventListener('input', (event) => {
    const picked = !(event instanceof InputEvent) || event.inputType === 'insertReplacementText';
    if (picked && event.target.matches('[data-adds]')) {
      add(event.target);
    }
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target.matches?.('[data-adds]') && event.target.value.trim()) {
      event.preventDefault();
      add(event.target);
    }
  });

  const plainLetters = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', "'": '', '’': '' };

  // slugOf is record.SlugOf of the server: the tests hold both against one table.
  function slugOf(name) {
    return name.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '').replace(/[ßæœøłđðþı'’]/g, (letter) => plainLetters[letter])
      .replace(/[^a-z0-9_]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 100).replace(/-+$/, '');
  }

  document.addEventListener('input', ({ target }) => {
    if (target.matches('[data-slug-of]')) {
      target.toggleAttribute('data-edited', target.value !== '');
    } else if (target.id) {
      document.querySelectorAll(`[data-slug-of="${CSS.escape(target.id)}"]:not([data-edited])`).forEach((slug) => { slug.value = slugOf(target.value); });
    }
  });
  for (const slug of document.querySelectorAll('[data-slug-of]')) {
    const made = slugOf(document.getElementById(slug.dataset.slugOf)?.value ?? '');
    slug.value ||= made;
    slug.toggleAttribute('data-edited', slug.value !== made);
  }

  // A part that refreshes itself does not do so unseen, nor under a pointer that is pressing, and it keeps how far
  // its tables were scrolled and what was unfolded. htmx gives the focus back to what has the same id.
  const polls = (element) => element.getAttribute('hx-trigger')?.startsWith('every');
  let kept = [];

  document.addEventListener('htmx:beforeRequest', (event) => {
    if (document.hidden && polls(event.detail.elt)) {
      event.preventDefault();
    }
  });

  document.addEventListener('htmx:beforeSwap', (event) => {
    const { elt, target, xhr } = event.detail;
    if (polls(elt) && xhr.status === 403) {
      location.reload(); // the session has ended: this leads to the login
    } else if (polls(elt) && target.querySelector(':active')) {
      event.detail.shouldSwap = false;
    } else {
      kept = [...target.querySelectorAll('.table-wrap[id], details[id]')].map((part) => [part.id, part.scrollLeft, part.open]);
    }
  });

  document.addEventListener('htmx:afterSwap', () => {
    for (const [id, left, open] of kept) {
      const part = document.getElementById(id);
      if (part) {
        part.scrollLeft = left;
        part.open = open;
      }
    }
    kept = [];
  });

  // Somebody who fills in a field means it.
  document.addEventListener('input', (event) => {
    const box = event.target.closest('[data-ticks]')?.querySelector('input[name=change]');
    if (box && box !== event.target) {
      box.checked = true;
    }
  });

  document.addEventListener('input', (event) => {
    const about = event.target.form?.dataset.outdates;
    if (about) {
      document.querySelectorAll(`${about} > :not(.working), ${about} > .working > .rows`).forEach((old) => old.remove());
    }
  });

  // htmx leaves the page as it is when a form was not answered; whoever waits for it must know.
  for (const failure of ['htmx:responseError', 'htmx:sendError', 'htmx:timeout']) {
    document.addEventListener(failure, (event) => {
      if (!event.target.matches('form[hx-post]')) {
        return;
      }
      const line = document.createElement('div');
      line.className = 'alert alert-danger';
      line.setAttribute('role', 'alert');
      const status = event.detail.xhr?.status;
      line.textContent = `This did not work: the server ${status ? `answered with ${status}` : 'did not answer'}. Try again.`;
      event.detail.target.querySelectorAll(':scope > .alert').forEach((old) => old.remove());
      event.detail.target.append(line);
    });
  }

  // The server reads this cookie and sends the sections open or closed, so that nothing moves while a page loads.
  document.addEventListener('click', (event) => {
    const fold = event.target.closest('summary')?.closest('[data-fold]');
    if (!fold || fold.hasAttribute('data-unfolded')) {
      return;
    }
    const key = fold.dataset.fold;
    const stored = document.cookie.match(/(?:^|;\s*)terrier_nav=([^;]*)/)?.[1] ?? '';
    const words = stored.split('.').filter((word) => word && word.replace('!', '') !== key);
    words.push(fold.open ? `!${key}` : key); // it is about to change
    document.cookie = `terrier_nav=${words.join('.')}; path=/; max-age=31536000; samesite=lax${location.protocol === 'https:' ? '; secure' : ''}`;
  });

  // While a list is narrowed its groups are open. data-unfolded keeps whether one was open before.
  function narrow(input) {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const group of document.querySelectorAll(`${input.dataset.narrows} [data-group]`)) {
      const items = [...group.querySelectorAll('[data-item]')];
      for (const item of items) {
        const text = `${group.dataset.group} ${item.textContent}`.toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
      }
      const left = items.filter((item) => !item.hidden).length;
      group.hidden = left === 0;
      found += left;
      if (words.length > 0) {
        group.dataset.unfolded ??= group.open;
        group.open = true;
      } else if (group.dataset.unfolded) {
        group.open = group.dataset.unfolded === 'true';
        delete group.dataset.unfolded;
      }
    }
    showWhetherAllAreChecked();
    say(words.length === 0 ? '' : found === 1 ? '1 fits' : `${found} fit`);
  }

  document.addEventListener('input', (event) => {
    if (event.target.matches('[data-narrows]')) {
      narrow(event.target);
    }
  });

  document.addEventListener('keydown', (event) => {
    const input = event.target;
    if (event.isComposing || !input.matches?.('[data-narrows]') || !['Enter', 'Escape'].includes(event.key)) {
      return;
    }
    event.preventDefault(); // Enter would send the form
    if (event.key === 'Escape') {
      input.value = '';
      narrow(input);
    } else if (input.matches('[data-leads]') && input.value.trim()) {
      const links = [...document.querySelectorAll(`${input.dataset.narrows} [data-item]:not([hidden]) a:first-child`)];
      const typed = input.value.trim().toLowerCase();
      const named = (fits) => links.find((link) => fits(link.textContent.trim().toLowerCase()));
      (named((name) => name === typed) ?? named((name) => name.startsWith(typed)) ?? links[0])?.click();
    }
  });

  document.addEventListener('keydown', (event) => {
    const search = document.getElementById('search');
    const typing = event.target.closest?.('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]');
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing || !search) {
      return;
    }
    event.preventDefault();
    const folded = search.closest('details:not([open])');
    if (folded) {
      folded.open = true;
    }
    search.focus();
    search.select();
  });

  document.addEventListener('keydown', (event) => {
    const search = document.getElementById('search');
    const hits = [...document.querySelectorAll('[data-hit]')];
    const at = hits.indexOf(event.target);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !search || (at < 0 && event.target !== search)) {
      return;
    }
    if (event.key === 'Escape' && at >= 0) {
      search.focus();
      search.select();
    } else if (step && hits.length > 0) {
      event.preventDefault();
      (at + step < 0 ? search : hits[Math.min(at + step, hits.length - 1)]).focus();
    }
  });

  // What was found while somebody typed is announced, and not read out as a whole.
  document.addEventListener('htmx:afterSwap', (event) => {
    if (event.detail.target.id === 'found') {
      const kinds = event.detail.target.querySelectorAll('.found').length;
      say(kinds > 0 ? `Found in record types: ${kinds}` : 'Nothing found');
    }
  });

  // On a narrow window tabs are one line that scrolls: the open one is in view, with a part of the one before it.
  const tabs = document.querySelector('.nav-tabs');
  if (tabs?.querySelector('.active')) {
    tabs.scrollLeft += tabs.querySelector('.active').getBoundingClientRect().left - tabs.getBoundingClientRect().left - 48;
  }

  // Menus. At most one is open, and nobody has to press its own button again to be rid of it.
  const menu = '.drop, .user-menu, .row-menu > details';

  function closeMenus(except) {
    for (const open of document.querySelectorAll(`:is(${menu})[open]`)) {
      if (!open.contains(except)) {
        open.open = false;
      }
    }
  }

  document.addEventListener('click', (event) => closeMenus(event.target));
  document.addEventListener('focusin', (event) => closeMenus(event.target));
  document.addEventListener('keydown', (event) => {
    const open = document.activeElement.closest(`:is(${menu})[open]`) ?? document.querySelector(`:is(${menu})[open]`);
    if (event.key === 'Escape' && open && !event.defaultPrevented) {
      open.open = false;
      open.querySelector('summary').focus();
    }
  });
})();
