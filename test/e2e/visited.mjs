// The addresses of pages that the browser has requested.
import { walkedFor } from './alike.mjs';

export class Visited {
  #routes;
  #seen = new Set();

  // patterns are those of Go's mux, one per line: GET /dcim/sites/{id}/{$}
  constructor(patterns) {
    this.#routes = patterns.trim().split('\n').map((pattern) => {
      const [method, path] = pattern.split(' ');
      const expression = path.replace(/\{\$\}$/, '').replace(/\{[^}]+\}/g, '[^/]+');
      return { pattern, method, fits: new RegExp(`^${expression}$`), holes: path.split('{').length };
    });
  }

  add(method, path) {
    const fitting = this.#routes.filter((route) => route.method === method && route.fits.test(path));
    const exact = fitting.sort((a, b) => a.holes - b.holes)[0];
    if (exact) {
      this.#seen.add(exact.pattern);
    }
  }

  // lists returns the record types: the address of each list, and whether the type is read-only.
  get lists() {
    const has = (pattern) => this.#routes.some((route) => route.pattern === pattern);
    return this.#routes.flatMap(({ pattern }) => pattern.match(/^GET (\/.+\/)export\/\{\$\}$/)?.[1] ?? [])
      .map((path) => ({ path, fixed: !has(`GET ${path}add/{$}`) }));
  }

  // missing returns the pages that nobody visited. A page of a type that others are walked for counts as visited if the same page of one of
  // these was. Which columns a list shows and which filters were saved is the same for all types, so one of them is enough.
  get missing() {
    const { lists } = this;
    const counts = (pattern) => {
      const type = lists.find(({ path }) => pattern.includes(` ${path}`))?.path;
      const others = /\/(columns|saved)\/\{\$\}$/.test(pattern) ? lists.map(({ path }) => path) : type && walkedFor(type);
      return this.#seen.has(pattern) || (type && others.some((other) => this.#seen.has(pattern.replace(type, other))));
    };
    return this.#routes.map((route) => route.pattern).filter((pattern) => !counts(pattern));
  }

  get count() { return this.#seen.size; }
}
