// Times in the browser's time zone. Without this file pages show UTC, and say so.
//
//   <time datetime="…Z">              is shown in the zone, in words if it is recent, with UTC on hover and focus
//   <time datetime="…Z" data-exact>   the same, never in words
//   <time datetime="…Z" data-clock>   only the time of day
//   <time datetime="…Z" data-day>     only the month and the day
//   <option data-time>                its text begins with a time in UTC; no element can be in it
//   <input data-utc>                  has UTC as the server sends it; people see and type the time of the zone, and UTC is sent
//   <input data-utc data-sent="…Z">   the same; unless people change it, the time in data-sent is sent, which may have fractions of a second
//   <span data-zone>                  is the name of the zone
(() => {
  'use strict';

  const minute = 60_000;
  const hour = 60 * minute;
  const day = 24 * hour;
  // How far the clock of the server was ahead of that of the browser when the page began to come. The page has the time of the server. A few
  // seconds are the time that the first bytes took.
  const [navigation] = performance.getEntriesByType('navigation');
  const loading = navigation ? performance.now() - navigation.responseStart : 0;
  const difference = document.documentElement.dataset.now - (Date.now() - loading);
  const offset = Math.abs(difference) > 10_000 ? difference : 0;
  const serverNow = () => Date.now() + offset;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const relative = new Intl.RelativeTimeFormat('en');

  const digits = (n, length = 2) => String(n).padStart(length, '0');
  const dateOf = (at) => `${digits(at.getFullYear(), 4)}-${digits(at.getMonth() + 1)}-${digits(at.getDate())}`;
  const clockOf = (at) => `${digits(at.getHours())}:${digits(at.getMinutes())}:${digits(at.getSeconds())}`;
  const shown = (at) => `${dateOf(at)} ${clockOf(at)}`;

  // inWords returns a time of the last or next day in words, and '' for any other. A time that is a few seconds ahead is that of a clock that
  // differs a little.
  function inWords(at, now) {
    const ahead = at - now;
    const far = Math.abs(ahead);
    if (far >= day) {
      return '';
    }
    if (far < minute) {
      return ahead > 10_000 ? 'in less than a minute' : 'just now';
    }
    const [size, unit] = far < hour ? [minute, 'minute'] : [hour, 'hour'];
    return relative.format(Math.sign(ahead) * Math.floor(far / size), unit);
  }

  // write changes the text only if it differs, so that a selection stays.
  function write(element, text) {
    if (element.textContent !== text) {
      element.textContent = text;
    }
  }

  function textOf(element, at, now) {
    if ('clock' in element.dataset) {
      return clockOf(at).slice(0, 5);
    }
    if ('day' in element.dataset) {
      return dateOf(at).slice(5);
    }
    return ('exact' in element.dataset ? '' : inWords(at, now)) || shown(at);
  }

  function tell(element, now) {
    const at = new Date(element.dateTime);
    write(element, textOf(element, at, now));
    if (element.title) {
      return; // only words change
    }
    const utc = element.dateTime.replace('T', ' ').replace('Z', ' UTC');
    element.title = zone === 'UTC' ? utc : `${shown(at)} ${zone}\n${utc}`;
    // Where the Tab key leads, the title is shown on focus. In a table each row has a link already.
    if (!element.closest('a, button, summary, .table-wrap, [aria-hidden]')) {
      element.tabIndex = 0;
    }
  }

  // moments returns when the clocks of the zone show a time such as 2026-10-25T02:30: once, twice when they are put back, never when they
  // are put forward. It returns null for a text that is no such time.
  function moments(text) {
    const parts = text.match(/^(\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?/);
    if (!parts) {
      return null;
    }
    const [year, month, date, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
    const fields = [year, month - 1, date, hours, minutes, seconds];
    const asUTC = Date.UTC(...fields);
    const found = new Set([new Date(...fields).getTime()]);
    for (const near of [asUTC - day, asUTC + day]) {
      found.add(asUTC + new Date(near).getTimezoneOffset() * minute);
    }
    const wanted = `${parts.slice(1, 4).join('-')} ${parts[4]}:${parts[5]}:${parts[6] ?? '00'}`;
    return [...found].filter((at) => shown(new Date(at)) === wanted).sort((a, b) => a - b);
  }

  const localInputs = (form) => [...form.elements].filter((input) => 'local' in input.dataset);
  const choiceOf = (input) => (input.nextElementSibling?.matches('.which-time') ? input.nextElementSibling : null);

  // sent returns the time of an input in UTC.
  function sent(input) {
    if (input.dataset.sent && input.value === input.dataset.local) {
      return input.dataset.sent;
    }
    const at = Number(choiceOf(input)?.querySelector('select').value) || moments(input.value)?.[0] || new Date(input.value).getTime();
    return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  function offsetOf(at) {
    const ahead = -new Date(at).getTimezoneOffset();
    return `UTC${ahead < 0 ? '−' : '+'}${digits(Math.floor(Math.abs(ahead) / 60))}:${digits(Math.abs(ahead) % 60)}`;
  }

  // judge refuses a time that the clocks skip, and asks which one is meant if they show it twice. An input that is hidden by another
  // choice in its form is left alone.
  function judge(input, meant) {
    const found = moments(input.value);
    const skipped = found?.length === 0 && input.offsetParent !== null;
    input.setCustomValidity(skipped ? `The clocks of ${zone} skip this time. Choose an earlier or later one.` : '');
    const choice = choiceOf(input);
    if (found?.length !== 2) {
      choice?.remove();
    } else if (choice?.dataset.of !== input.value) {
      choice?.remove();
      input.after(askWhich(input, found, meant));
    }
  }

  function askWhich(input, found, meant) {
    const label = document.createElement('label');
    label.className = 'which-time form-text';
    label.dataset.of = input.value;
    const select = document.createElement('select');
    select.className = 'form-select form-select-sm';
    for (const [i, at] of found.entries()) {
      select.add(new Option(`${i === 0 ? 'the first' : 'the second'}, ${offsetOf(at)}`, at, false, at === meant));
    }
    label.append('The clocks show this time twice: ', select);
    return label;
  }

  const inUTC = (text) => new Date(`${text}Z`).getTime();

  // localise shows what the server sent in the zone. A value that differs from what was sent was typed meanwhile, in the zone.
  function localise(input) {
    const at = inUTC(input.defaultValue);
    const isTyped = input.value !== input.defaultValue && inUTC(input.value) !== at;
    if (!Number.isNaN(at) && !isTyped) {
      input.defaultValue = shown(new Date(at)).replace(' ', 'T');
    }
    delete input.dataset.utc;
    input.dataset.local = isTyped ? '' : input.value;
    judge(input, isTyped ? undefined : at);
  }

  function tellAll() {
    const now = serverNow();
    for (const element of document.querySelectorAll('time[datetime]')) {
      tell(element, now);
    }
  }

  function arrive() {
    tellAll();
    for (const name of document.querySelectorAll('[data-zone]')) {
      write(name, zone);
    }
    for (const element of document.querySelectorAll('[data-time]')) {
      write(element, element.textContent.replace(/^(\S+) (\S+) UTC/, (_, date, clock) => shown(new Date(`${date}T${clock}Z`))));
      delete element.dataset.time;
    }
    document.querySelectorAll('input[data-utc]').forEach(localise);
  }
  arrive();
  document.addEventListener('htmx:afterSwap', arrive);

  // Words become wrong with time. Nobody reads them to the second.
  const refresh = () => document.hidden || tellAll();
  setInterval(refresh, minute);
  document.addEventListener('visibilitychange', refresh);

  for (const event of ['input', 'change']) {
    document.addEventListener(event, ({ target }) => {
      if (target.form) {
        localInputs(target.form).forEach((input) => judge(input));
      }
    });
  }

  // Both browsers and htmx collect the values of a form with this event.
  document.addEventListener('formdata', ({ target, formData }) => {
    for (const input of localInputs(target)) {
      if (input.value && formData.has(input.name)) {
        formData.set(input.name, sent(input));
      }
    }
  });
})();
