// The builder of a webhook's conditions: rows of attribute, operator and value, with one level of groups. The JSON below it is what is
// saved. The builder is there only if it can show all of it, and writes it when somebody changes a row.
//
// read and write don't touch the page; the browser tests import them.

const operators = ['eq', '!eq', 'in', '!in', 'contains', '!contains', 'regex', '!regex', 'gt', 'gte', 'lt', 'lte', 'changed', '!changed'];

// read returns conditions as rows, or null if rows can't show them.
export function read(text) {
  if (text.trim() === '') {
    return { join: 'and', members: [] };
  }
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    return null;
  }
  if (withoutSpace(text) !== JSON.stringify(json)) {
    return null; // a number that is too long for this script, or a key twice
  }
  if (json === null || JSON.stringify(json) === '{}') {
    return { join: 'and', members: [] };
  }
  const root = memberOf(json, true);
  return root && !root.members ? { join: 'and', members: [root] } : root;
}

// write returns rows as JSON. Rows without an attribute are not finished, and left out.
export function write(root) {
  const json = jsonOf(root);
  return json === undefined ? '' : JSON.stringify(json, null, 2);
}

function withoutSpace(text) { return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1'); }

function memberOf(json, isRoot) {
  const [join, ...others] = Object.keys(json ?? {});
  if (join !== 'and' && join !== 'or') {
    return rowOf(json);
  }
  const inside = json[join];
  if (others.length > 0 || !Array.isArray(inside) || inside.length === 0) {
    return null;
  }
  const members = inside.map((member) => (isRoot ? memberOf(member, false) : rowOf(member)));
  return members.includes(null) ? null : { join, members };
}

function rowOf(json) {
  const { attr, op = 'eq', negate = false, value, ...others } = json ?? {};
  const operator = (negate === true ? '!' : '') + op;
  const known = typeof attr === 'string' && /^\S(.*\S)?$/.test(attr) && typeof negate === 'boolean' && operators.includes(operator);
  if (!known || Object.keys(others).length > 0 || (op === 'changed') === ('value' in json)) {
    return null;
  }
  if (op === 'changed') {
    return { attr, operator, value: '' };
  }
  if (op === 'in') {
    return Array.isArray(value) && value.every(isPlain) ? { attr, operator, value: value.map((one) => textOf(one, true)).join(', ') } : null;
  }
  const isText = comparesText(op);
  return isPlain(value) && (!isText || typeof value === 'string') ? { attr, operator, value: textOf(value, false, isText) } : null;
}

// comparesText reports whether the value of an operator is a text, also if it looks like a number.
function comparesText(op) { return op === 'regex' || op === 'contains'; }

function isPlain(value) { return value === null || typeof value !== 'object'; }

function jsonOf(member) {
  if (member.members) {
    const inside = member.members.map(jsonOf).filter((json) => json !== undefined);
    return inside.length > 1 ? { [member.join]: inside } : inside[0];
  }
  const attr = member.attr.trim();
  const op = member.operator.replace('!', '');
  return attr === '' ? undefined : {
    attr,
    ...(op !== 'eq' && { op }),
    ...(op !== 'changed' && { value: op === 'in' ? valuesOf(member.value) : valueOf(member.value, comparesText(op)) }),
    ...(op !== member.operator && { negate: true }),
  };
}

// valueOf returns what a text in a row means: a number, true, false, null, or a text, which may be in quotes.
function valueOf(typed, isText = false) {
  const text = typed.trim();
  try {
    const value = JSON.parse(text);
    const isExact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
    return isPlain(value) && isExact && (!isText || typeof value === 'string') ? value : text;
  } catch {
    return text;
  }
}

function valuesOf(typed) {
  const found = [...typed.matchAll(/\s*("(?:[^"\\]|\\.)*"|[^,]+)\s*(?:,|$)/g)].map((match) => match[1]);
  return found.filter((text) => text.trim() !== '').map((text) => valueOf(text));
}

// textOf returns a value as valueOf reads it.
function textOf(value, isListed = false, isText = false) {
  const isBare = typeof value === 'string' && valueOf(value, isText) === value && !/[\r\n]/.test(value) && !(isListed && (/[",]/.test(value) || value === ''));
  return isBare ? value : JSON.stringify(value);
}

// The rest is the page.

const part = (name) => document.getElementById(`condition-${name}`).content.firstElementChild.cloneNode(true);

function shownRow({ attr = '', operator = 'eq', value = '' } = {}) {
  const row = part('row');
  row.querySelector('[data-attr]').value = attr;
  row.querySelector('[data-operator]').value = operator;
  row.querySelector('[data-value]').value = value;
  return row;
}

function shownGroup({ join = 'and', members = [{}] } = {}, name = 'group') {
  const group = part(name);
  group.querySelector('[data-join]').value = join;
  group.querySelector('[data-members]').append(...members.map((member) => (member.members ? shownGroup(member) : shownRow(member))));
  return group;
}

function typed(group) {
  const members = [...group.querySelector('[data-members]').children].map((member) => (member.matches('[data-group]') ? typed(member) : {
    attr: member.querySelector('[data-attr]').value,
    operator: member.querySelector('[data-operator]').value,
    value: member.querySelector('[data-value]').value,
  }));
  return { join: group.querySelector('[data-join]').value, members };
}

function build(area) {
  const place = document.createElement('div');
  area.before(place);
  let isWriting = false;

  const show = () => {
    const root = read(area.value);
    place.replaceChildren(root ? shownGroup(root, 'builder') : part('unshown'));
    withoutValues();
  };
  const withoutValues = () => {
    for (const row of place.querySelectorAll('[data-row]')) {
      row.querySelector('[data-value]').hidden = row.querySelector('[data-operator]').value.endsWith('changed');
    }
  };
  const changed = () => {
    withoutValues();
    isWriting = true;
    area.value = write(typed(place.firstElementChild));
    area.dispatchEvent(new Event('input', { bubbles: true })); // the preview follows
    isWriting = false;
  };

  place.addEventListener('input', (event) => {
    event.stopPropagation();
    changed();
  });
  place.addEventListener('click', ({ target }) => {
    if (target.matches('[data-add]')) {
      const member = target.dataset.add === 'group' ? shownGroup() : shownRow();
      target.closest('[data-group]').querySelector('[data-members]').append(member);
      member.querySelector('[data-attr]').focus();
      changed();
    } else if (target.matches('[data-remove]')) {
      const member = target.closest('[data-row], [data-group]');
      const next = member.nextElementSibling ?? member.previousElementSibling ?? member.parentElement.closest('[data-group]');
      member.remove();
      next.querySelector('[data-attr], [data-add]').focus();
      changed();
    }
  });
  place.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.target.matches('input')) {
      event.preventDefault(); // it would send the form
    }
  });
  area.addEventListener('input', () => {
    if (!isWriting) {
      show();
    }
  });
  show();
}

if (typeof document !== 'undefined') {
  document.querySelectorAll('#id_conditions').forEach(build);
}
