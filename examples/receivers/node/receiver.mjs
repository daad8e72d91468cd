// A receiver of Terrier's webhooks in JavaScript, with nothing but Node's standard library.
//
//     PORT=9001 SECRET=… node examples/receivers/node/receiver.mjs

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { PORT, SECRET, MAX_AGE = "" } = process.env;
if (!SECRET) throw new Error("SECRET is not set");

const maxBody = 16 << 20;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const number = /^[0-9]{1,15}$/;

// A real receiver keeps both in its database, written in one transaction with whatever it does about the event.
const seen = new Set(); // deliveries
const newest = new Map(); // sequence numbers, by model and id

function signed(body, signature = "") {
  const right = Buffer.from(createHmac("sha512", SECRET).update(body).digest("hex"));
  const got = Buffer.from(signature);
  return got.length === right.length && timingSafeEqual(got, right); // which throws when the lengths differ
}

function fresh(timestamp = "") {
  return number.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= Number(MAX_AGE);
}

// receive returns the status to answer and the line to print.
function receive(headers, body) {
  if (!signed(body, headers["x-hook-signature"]) && !signed(body, headers["x-hook-signature-previous"])) {
    return [401, "refused signature"];
  }
  if (MAX_AGE && !fresh(headers["x-hook-timestamp"])) return [401, "refused timestamp"];
  const delivery = headers["x-hook-delivery"];
  if (!uuid.test(delivery) || !number.test(headers["x-hook-sequence"])) return [400, "refused headers"];
  const sequence = Number(headers["x-hook-sequence"]);
  let event;
  try {
    event = JSON.parse(body);
  } catch {
    return [400, "refused body"];
  }
  if (typeof event?.model !== "string" || !Number.isInteger(event?.data?.id)) return [400, "refused body"];

  const of = `${event.model} ${event.data.id}`;
  if (seen.has(delivery)) return [204, `ignored ${delivery} duplicate`];
  if (sequence <= (newest.get(of) ?? 0)) {
    return [204, `ignored ${delivery} stale: seq ${sequence}, known ${newest.get(of)}`];
  }
  // Here goes what the receiver is for. Work that takes longer than a second or two belongs on a queue.
  seen.add(delivery);
  newest.set(of, sequence);
  return [204, `accepted ${delivery} seq ${sequence}`];
}

// read resolves to the bytes as they came: the signature covers those, and not what a JSON parser makes of them.
async function read(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length <= maxBody) parts.push(part); // the rest is read too, or the sender would not see the answer
  }
  return length <= maxBody ? Buffer.concat(parts) : null;
}

const server = createServer({ requestTimeout: 10_000 }, async (request, response) => {
  let status, line;
  try {
    const body = await read(request);
    if (request.method !== "POST") [status, line] = [405, "refused method"];
    else if (!body) [status, line] = [413, "refused long body"];
    else [status, line] = receive(request.headers, body);
  } catch {
    [status, line] = [400, "refused broken body"];
  }
  console.log(line);
  response.writeHead(status).end();
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}/`));
