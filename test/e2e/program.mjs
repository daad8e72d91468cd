// The programs that the tests start besides the server: the worker and the receivers.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const running = new Set();

// start runs terrier with some arguments. Its log goes to NAME.log. The kernel ends it when this process ends, for whatever reason.
export function start(name, args, env = {}) {
  const { TERRIER_E2E_WORK: work } = process.env;
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', `${work}/terrier`, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  child.stderr.pipe(createWriteStream(`${work}/${name}.log`, { flags: 'a' }));
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

// stop ends a program as an operator would.
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) {
    return;
  }
  child.kill('SIGTERM');
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) {
    throw new Error(`${child.spawnargs.slice(3).join(' ')} ended with ${code ?? signal} after SIGTERM`);
  }
}

export async function stopAll() {
  await Promise.all([...running].map(stop));
}

// Receiver is a `terrier webhook_receiver` and the requests it printed.
export class Receiver {
  #arrived = [];
  #waiting = new Set();

  static async open(name, args, secret) {
    const receiver = new Receiver();
    const child = start(name, ['webhook_receiver', '--json', '--port', '0', ...args], secret ? { TERRIER_RECEIVER_SECRET: secret } : {});
    createInterface({ input: child.stdout }).on('line', (line) => receiver.#take(JSON.parse(line)));
    for await (const line of createInterface({ input: child.stderr })) {
      const found = line.match(/^Listening on (http:\/\/localhost:\d+\/)/);
      if (found) {
        receiver.url = found[1].replace('localhost', '127.0.0.1');
        return receiver;
      }
    }
    throw new Error(`${name} did not listen`);
  }

  #take(request) {
    this.#arrived.push(request);
    for (const waiter of this.#waiting) {
      waiter();
    }
  }

  get requests() { return this.#arrived; }

  // request returns a matching request. It waits until one arrives, unless it has arrived already.
  request(fits, what = 'request') {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.#arrived.find(fits);
        if (found) {
          clearTimeout(timer);
          this.#waiting.delete(look);
          resolve(found);
        }
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`no ${what} arrived at ${this.url}; ${this.#arrived.length} others did`));
      }, 20_000);
      this.#waiting.add(look);
      look();
    });
  }
}
