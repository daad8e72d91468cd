// A receiver of Terrier's webhooks that lets the reference library of Standard Webhooks check them. The webhook needs
// standard_headers, and a secret of the form whsec_<base64>.
//
//     npm ci --ignore-scripts
//     PORT=9001 SECRET=whsec_… node receiver.mjs

import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const { PORT, SECRET } = process.env;
if (!SECRET?.startsWith("whsec_")) throw new Error("SECRET must be of the form whsec_<base64>");

const webhook = new Webhook(SECRET);
const maxBody = 16 << 20;
const number = /^[0-9]{1,15}$/;

// A real receiver keeps both in its database, written in one transaction with whatever it does about the event.
const seen = new Set(); // deliveries
const newest = new Map(); // sequence numbers, by model and id

// receive returns the status to answer and the line to print.
function receive(headers, body) {
  try {
    // Checks the signature of id, time and body, and that the time is within five minutes of ours.
    webhook.verify(body, headers, { jsonParse: false });
  } catch (error) {
    return [401, `refused signature: ${error.message}`];
  }
  const delivery = headers["webhook-id"]; // signed, so it is what Terrier wrote
  if (!number.test(headers["x-hook-sequence"])) return [400, "refused headers"];
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
