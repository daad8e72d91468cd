// The builder of a webhook's conditions: rows of attribute, operator and value, with one level of groups. The JSON below it is what is
// saved. The builder is there only if it can show all of it, and writes it when somebody changes a row.
//
// A row has the attribute, the operator and the value as they are typed, and the JSON type of the attribute if that is known.
// The functions up to "The rest is the page" don't touch the page; the browser tests import them.

const operators = ['eq', '!eq', 'in', '!in', 'contains', '!contains', 'regex', '!regex', 'gt', 'gte', 'lt', 'lte', 'changed', '!changed'];

// read returns conditions as rows, or null if rows can't show them. typeOf returns the JSON type of an attribute.
export function read(text, typeOf = () => undefined) {
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
  const root = memberOf(json, typeOf, true);
  return root && !root.members ? { join: 'and', members: [root] } : root;
}

// write returns rows as JSON. Rows without an attribute are not finished, and left out.
export function write(root) {
  const json = jsonOf(root);
  return json === undefined ? '' : JSON.stringify(json, null, 2);
}

function withoutSpace(text) { return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1'); }

function memberOf(json, typeOf, isRoot) {
  const [join, ...others] = Object.keys(json ?? {});
  if (join !== 'and' && join !== 'or') {
    return rowOf(json, typeOf);
  }
  const inside = json[join];
  if (others.length > 0 || !Array.isArray(inside) || inside.length === 0) {
    return null;
  }
  const members = inside.map((member) => (isRoot ? memberOf(member, typeOf) : rowOf(member, typeOf)));
  return members.includes(null) ? null : { join, members };
}

function rowOf(json, typeOf) {
  const { attr, op = 'eq', negate = false, value, ...others } = json ?? {};
  const operator = (negate === true ? '!' : '') + op;
  const known = typeof attr === 'string' && /^\S(.*\S)?$/.test(attr) && typeof negate === 'boolean' && operators.includes(operator);
  if (!known || Object.keys(others).length > 0 || (op === 'changed') === ('value' in json)) {
    return null;
  }
  const row = { attr, operator, value: '', type: typeOf(attr), json };
  if (op === 'changed') {
    return row;
  }
  if (op === 'in') {
    return Array.isArray(value) && value.every(isPlain) ? { ...row, value: value.map((one) => textOf(one, row, true)).join(', ') } : null;
  }
  return isPlain(value) && (!onlyText(row) || typeof value === 'string') ? { ...row, value: textOf(value, row) } : null;
}

// onlyText reports whether the value of an operator is always a text, also if it looks like a number.
function onlyText({ operator, type }) { return /regex$/.test(operator) || (/contains$/.test(operator) && type !== 'number'); }

function isPlain(value) { return value === null || typeof value !== 'object'; }

// jsonOf returns the JSON of a row or a group. A row that nobody changed keeps the JSON that it was read from.
function jsonOf(member) {
  if (member.members) {
    const inside = member.members.map(jsonOf).filter((json) => json !== undefined);
    return inside.length > 1 ? { [member.join]: inside } : inside[0];
  }
  const attr = member.attr.trim();
  const op = member.operator.replace('!', '');
  return member.json ?? (attr === '' ? undefined : {
    attr,
    ...(op !== 'eq' && { op }),
    ...(op !== 'changed' && { value: op === 'in' ? valuesOf(member) : valueOf(member.value, member) }),
    ...(op !== member.operator && { negate: true }),
  });
}

// valueOf returns what a text in a row means: null, what is in quotes, a text if the attribute is one, and otherwise a number, true or
// false if it looks like one.
function valueOf(typed, row) {
  const text = typed.trim();
  try {
    const value = JSON.parse(text);
    const isExact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
    const isMeant = typeof value === 'string' || (!onlyText(row) && (row.type !== 'string' || value === null));
    return isPlain(value) && isExact && isMeant ? value : text;
  } catch {
    return text;
  }
}

function valuesOf(row) {
  const found = [...row.value.matchAll(/\s*("(?:[^"\\]|\\.)*"|[^,]+)\s*(?:,|$)/g)].map((match) => match[1]);
  return found.filter((text) => text.trim() !== '').map((text) => valueOf(text, row));
}

// textOf returns a value as valueOf reads it.
function textOf(value, row, isListed = false) {
  const isBare = typeof value === 'string' && valueOf(value, row) === value && !/[\r\n]/.test(value) && !(isListed && (/[",]/.test(value) || value === ''));
  return isBare ? value : JSON.stringify(value);
}

// unexpected returns the value of a row as JSON if it is not of the type of the attribute, or not a text where the type isn't known.
export function unexpected(row) {
  const value = jsonOf(row)?.value;
  const isExpected = (one) => typeof one === (onlyText(row) ? 'string' : row.type ?? 'string');
  return value === undefined || [value].flat().every(isExpected) ? '' : JSON.stringify(value);
}

// The rest is the page.

const part = (name) => document.getElementById(`condition-${name}`).content.firstElementChild.cloneNode(true);

// typeOf returns the JSON type of an attribute that the page knows. Snapshots have the attributes of the record.
function typeOf(attr) {
  const name = attr.trim().replace(/^snapshots\.(pre|post)change\./, '');
  return [...document.querySelectorAll('#condition-attributes option')].find((option) => option.value === name)?.dataset.jsonType;
}

const readFrom = new WeakMap(); // the rows that were read from JSON
const written = new WeakMap(); // the rows that were written, as they last were

let rows = 0;

function shownRow({ attr = '', operator = 'eq', value = '', json } = {}) {
  const row = part('row');
  readFrom.set(row, { attr, operator, value, json });
  row.querySelector('[data-attr]').value = attr;
  row.querySelector('[data-operator]').value = operator;
  const input = row.querySelector('[data-value]');
  input.value = value;
  const note = row.querySelector('.condition-json');
  note.id = `condition-json-${++rows}`;
  input.setAttribute('aria-describedby', note.id);
  return row;
}

function shownGroup({ join = 'and', members = [{}] } = {}, name = 'group') {
  const group = part(name);
  group.querySelector('[data-join]').value = join;
  group.querySelector('[data-members]').append(...members.map((member) => (member.members ? shownGroup(member) : shownRow(member))));
  return group;
}

function typed(group) {
  const members = [...group.querySelector('[data-members]').children].map((member) => (member.matches('[data-group]') ? typed(member) : typedRow(member)));
  return { join: group.querySelector('[data-join]').value, members };
}

function typedRow(row) {
  const [attr, operator, value] = ['attr', 'operator', 'value'].map((name) => row.querySelector(`[data-${name}]`).value);
  const type = typeOf(attr);
  const jsonIn = (was) => (was?.attr === attr && was.operator === operator && was.value === value ? was.json : undefined);
  // What was written for a type stays if the type is no longer known.
  return { attr, operator, value, type, json: jsonIn(readFrom.get(row)) ?? (type === undefined ? jsonIn(written.get(row)) : undefined) };
}

function build(area) {
  const place = document.createElement('div');
  area.before(place);
  let isWriting = false;
  let isWritten = false; // the JSON was written here, not typed

  const show = () => {
    const root = read(area.value, typeOf);
    place.replaceChildren(root ? shownGroup(root, 'builder') : part('unshown'));
    isWritten = false;
    showValues();
  };
  const showValues = () => {
    for (const row of place.querySelectorAll('[data-row]')) {
      row.querySelector('[data-value]').hidden = row.querySelector('[data-operator]').value.endsWith('changed');
      const json = row.querySelector('[data-json]');
      json.textContent = unexpected(typedRow(row));
      json.parentElement.hidden = json.textContent === '';
    }
  };
  const changed = () => {
    showValues();
    isWriting = true;
    isWritten = true;
    area.value = write(typed(place.firstElementChild));
    for (const row of place.querySelectorAll('[data-row]')) {
      const now = typedRow(row);
      written.set(row, { ...now, json: jsonOf(now) });
    }
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
  // With other record types come other attributes.
  document.addEventListener('htmx:afterSwap', () => {
    showValues();
    if (isWritten && area.value !== write(typed(place.firstElementChild))) {
      changed();
    }
  });
  show();
}

if (typeof document !== 'undefined') {
  document.querySelectorAll('#id_conditions').forEach(build);
}
