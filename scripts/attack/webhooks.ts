import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { SCOPES } from "#core/scope.ts";
import type { Topic } from "./attack.ts";
import type { Answer, AttackedService, AttackUser } from "./attacked-service.ts";
import { urlsOf, withCanary } from "./hostile-addresses.ts";

const POSTS = 12;
/** How many guesses are sent: more than twice the limit of a minute, because the next minute may begin meanwhile. */
const GUESSES = 140;
/** Matches programs on the same machine, to which the sandbox sends and production does not. */
const LOCAL_PROGRAM = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]):\d/;
/** How long (ms) an event may take to arrive: far less than a silent receiver may take. */
const ARRIVAL_TIMEOUT_MS = 8000;
const KEPT_BYTES = 1024;

interface Hook {
  readonly id: string;
  readonly secret: string;
}

const receiverOf = ({ origin }: AttackedService, name: string): string => `${origin}/sandbox/receivers/${name}`;

async function createHook(
  service: AttackedService,
  { key }: Pick<AttackUser, "key">,
  url: string,
  description = "Attacked",
): Promise<Hook> {
  const { json } = await service.prepare("POST", "/v1/webhooks", { key, json: { url, types: ["*"], description } });
  return { id: json.webhook.id, secret: service.addSecret(json.secret) };
}

const behave = (service: AttackedService, name: string, ...answers: readonly object[]): Promise<Answer> =>
  service.prepare("PUT", `/sandbox/receivers/${name}/behaviour`, { json: { answers } });

interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function received(service: AttackedService, name: string): Promise<readonly Received[]> {
  const { json } = await service.prepare("GET", `/sandbox/receivers/${name}?limit=1000`);
  return json.deliveries;
}

/** Creates a further key with all scopes in the dashboard. */
async function createKey(service: AttackedService, { password }: AttackUser, cookie: string) {
  const form = new URLSearchParams([
    ["name", "Stolen"],
    ...SCOPES.map((scope) => ["scope", scope]),
    ["expires_in_days", "30"],
    ["current_password", password],
  ]);
  const { text } = await service.prepare("POST", "/dashboard/keys", { cookie, form });
  const [key] = /\balk_[0-9A-Za-z]{49}\b/.exec(text) ?? [];
  const { text: list } = await service.prepare("GET", "/dashboard/keys", { cookie });
  const [, id] = /keys\/([0-9a-f-]{36})\/revoke/.exec(list) ?? [];
  if (key === undefined || id === undefined) {
    throw new Error("the page shows no new key");
  }
  return { key: service.addSecret(key), id };
}

/** Creates a calendar feed. Returns its path. */
export async function createFeed(service: AttackedService, { password }: AttackUser, cookie: string): Promise<string> {
  const form = { current_password: password };
  const { text } = await service.prepare("POST", "/dashboard/profile/feeds", { cookie, form });
  const [path, secret] = /\/calendar\/([\w-]{22})\.ics/.exec(text) ?? [];
  if (path === undefined || secret === undefined) {
    throw new Error("the page shows no calendar address");
  }
  service.addSecret(secret);
  return path;
}

async function waitFor(condition: () => Promise<boolean>): Promise<boolean> {
  const deadline = Date.now() + ARRIVAL_TIMEOUT_MS;
  while (!(await condition())) {
    if (Date.now() >= deadline) {
      return false;
    }
    await sleep(200);
  }
  return true;
}

/** Sends the test event of a webhook. Returns the receiver's response. */
async function sendTest(service: AttackedService, key: string, { id }: Hook): Promise<Answer> {
  return await service.send("POST", `/v1/webhooks/${id}/test`, { key });
}

export default {
  topic: "webhooks",
  attacks: [
    {
      name: "private addresses and special-use names, at creation and by a change",
      async run(service, log) {
        const user = await service.createUser();
        const { key } = user;
        const hook = await createHook(service, user, receiverOf(service, "own"));
        await withCanary(async (port, hits) => {
          for (const url of urlsOf(port).filter((candidate) => !LOCAL_PROGRAM.test(candidate))) {
            const json = { url, types: ["*"] };
            log.expectStatus(`create ${url}`, await service.send("POST", "/v1/webhooks", { key, json }), 400);
            const changed = await service.send("PATCH", `/v1/webhooks/${hook.id}`, { key, json: { url } });
            log.expectStatus(`change to ${url}`, changed, 400);
          }
          log.expect(hits().length === 0, "nothing reached", `the service called ${hits().join(", ")}`);
        });
      },
    },
    {
      name: "a name that leads to a private address after the hook was made",
      async run(service, log) {
        const user = await service.createUser();
        const host = `${randomUUID()}.example`;
        const hook = await createHook(service, user, `https://${host}/hook`);
        const asked = service.names.asked(host);
        log.expect(asked > 0, "looked up at creation", "the name was not looked up at creation");
        for (const address of ["127.0.0.1", "10.0.0.1", "169.254.169.254"]) {
          service.names.lead(host, address);
          const { json } = await sendTest(service, user.key, hook);
          const isRefused = json?.delivered === false && String(json.result.error).includes("public internet");
          log.expect(isRefused, "refused before the try", `${address}: ${JSON.stringify(json)}`);
        }
        log.expect(service.names.asked(host) > asked, "looked up again", "the name was not looked up before the try");
      },
    },
    {
      name: "redirects to private addresses and to other receivers",
      async run(service, log) {
        const user = await service.createUser();
        const name = `redirects-${randomUUID()}`;
        const hook = await createHook(service, user, receiverOf(service, name));
        await withCanary(async (port, hits) => {
          for (const status of [301, 302, 303, 307, 308]) {
            for (const location of [`http://127.0.0.1:${port}/`, receiverOf(service, `${name}-next`)]) {
              await behave(service, name, { status, headers: { location } });
              const { json } = await sendTest(service, user.key, hook);
              const isFailure = json?.delivered === false && json.result.status === status;
              log.expect(isFailure, "a failure", `${status} to ${location}: ${JSON.stringify(json)}`);
            }
          }
          log.expect(hits().length === 0, "nothing reached", `the service followed to ${hits().join(", ")}`);
          const next = await received(service, `${name}-next`);
          log.expect(next.length === 0, "nothing followed", `${next.length} deliveries followed a redirect`);
        });
      },
    },
    {
      name: "answers that are huge, slow or never end",
      slow: true,
      async run(service, log) {
        const user = await service.createUser();
        const name = `huge-${randomUUID()}`;
        const hook = await createHook(service, user, receiverOf(service, name));
        for (const answer of [
          { body_bytes: 1024 ** 3 },
          { status: 500, body_bytes: 1024 ** 3 },
          { drip_ms: 200 },
          { hang: true },
        ]) {
          await behave(service, name, answer);
          const { json } = await sendTest(service, user.key, hook);
          const size = Buffer.byteLength(String(json?.result?.response ?? ""));
          const isBounded = json?.result !== undefined && size <= KEPT_BYTES;
          log.expect(isBounded, "its beginning is kept", `${JSON.stringify(answer)}: ${size} bytes`);
        }
      },
    },
    {
      name: "a receiver that never answers beside one that does",
      slow: true,
      async run(service, log) {
        const user = await service.createUser();
        const accountId = await service.connect(user);
        const [held, steady] = [`held-${randomUUID()}`, `steady-${randomUUID()}`];
        await behave(service, held, { hang: true });
        await createHook(service, user, receiverOf(service, held));
        await createHook(service, user, receiverOf(service, steady));
        for (let count = 0; count < POSTS; count += 1) {
          await service.schedulePost(user, accountId, `Post ${count}`);
        }
        const deadline = Date.now() + ARRIVAL_TIMEOUT_MS;
        let arrived = await received(service, steady);
        while (arrived.length < POSTS && Date.now() < deadline) {
          await sleep(200);
          arrived = await received(service, steady);
        }
        log.expect(
          arrived.length === POSTS,
          "not held up",
          `${arrived.length} of ${POSTS} events arrived at the other`,
        );
      },
    },
    {
      name: "headers injected by an address or a description",
      async run(service, log) {
        const user = await service.createUser();
        const { key } = user;
        const own = receiverOf(service, "injected");
        for (const url of [
          `${own}\r\nx-injected: 1`,
          `${own}\nx-injected: 1`,
          `${own}\tx`,
          `${own} x`,
          `${own}\u0000`,
        ]) {
          const answer = await service.send("POST", "/v1/webhooks", { key, json: { url, types: ["*"] } });
          log.expectStatus(JSON.stringify(url), answer, 400);
        }
        for (const description of ["a\r\nx-injected: 1", "a\nb", "a\u0000b", "a\u007fb", "x".repeat(201)]) {
          const json = { url: own, types: ["*"], description };
          log.expectStatus(JSON.stringify(description), await service.send("POST", "/v1/webhooks", { key, json }), 400);
        }
        const name = `injected-${randomUUID()}`;
        const hook = await createHook(service, user, `${receiverOf(service, name)}?x=%0d%0ax-injected:%201`);
        await sendTest(service, key, hook);
        const deliveries = await received(service, name);
        log.expect(deliveries.length === 1, "it arrives", `${deliveries.length} deliveries arrived`);
        const isInjected = deliveries.some(({ headers }) => "x-injected" in headers);
        log.expect(!isInjected, "no header", "a header was injected by the address");
      },
    },
    {
      name: "the signing secret in any later answer, page or delivery",
      async run(service, log) {
        const user = await service.createUser();
        const { key } = user;
        const name = `secret-${randomUUID()}`;
        const hook = await createHook(service, user, receiverOf(service, name));
        await sendTest(service, key, hook);
        const { json: rotated } = await service.prepare("POST", `/v1/webhooks/${hook.id}/rotate-secret`, { key });
        const secret = service.addSecret(rotated.secret);
        const cookie = await service.signIn(user);
        const { json: listed } = await service.prepare("GET", `/v1/webhooks/${hook.id}/deliveries`, { key });
        const delivery = `deliveries/${listed.deliveries[0].id}`;
        const answers = await Promise.all([
          ...["", `/${hook.id}`, `/${hook.id}/deliveries`, `/${hook.id}/${delivery}`].map((path) =>
            service.send("GET", `/v1/webhooks${path}`, { key }),
          ),
          service.send("PATCH", `/v1/webhooks/${hook.id}`, { key, json: { description: "Changed" } }),
          service.send("GET", "/v1/events", { key }),
          service.send("POST", `/v1/webhooks/${hook.id}/${delivery}/resend`, { key }),
          ...["", `/${hook.id}`, `/${hook.id}/${delivery}`].map((path) =>
            service.send("GET", `/webhooks${path}`, { cookie }),
          ),
        ]);
        for (const { status, text } of answers) {
          const shows = [hook.secret, secret].filter((value) => text.includes(value.slice("whsec_".length)));
          log.expect(status === 200 && shows.length === 0, "no secret", `${status} shows ${shows.length} secrets`);
        }
        log.expect(
          !JSON.stringify(rotated).includes(hook.secret),
          "not the old one",
          "a rotation shows the old secret",
        );
        const sent = JSON.stringify(await received(service, name));
        const isSent = [hook.secret, secret].some((value) => sent.includes(value.slice("whsec_".length)));
        log.expect(!isSent, "not sent", "a delivery holds the secret");
      },
    },
    {
      name: "posts read through a webhook without posts:read",
      async run(service, log) {
        const user = await service.createUser();
        const hook = await createHook(service, user, receiverOf(service, "own"));
        await sendTest(service, user.key, hook);
        const { json: listed } = await service.prepare("GET", `/v1/webhooks/${hook.id}/deliveries`, { key: user.key });
        const delivery = `/v1/webhooks/${hook.id}/deliveries/${listed.deliveries[0].id}`;
        const { key } = await service.createUser({ scopes: ["workspaces:read", "workspaces:write"] });
        const url = receiverOf(service, "blind");
        const tries = [
          ["POST", "/v1/webhooks", { url, types: ["*"] }],
          ["PATCH", `/v1/webhooks/${hook.id}`, { url }],
          ["POST", `/v1/webhooks/${hook.id}/replay`, { after_seq: 0 }],
          ["GET", delivery, undefined],
          ["POST", `${delivery}/resend`, undefined],
        ] as const;
        for (const [method, path, json] of tries) {
          log.expectStatus(`${method} ${path}`, await service.send(method, path, { key, json }), 403);
        }
      },
    },
    {
      name: "webhooks and calendars after the access that made them has ended",
      async run(service, log) {
        const user = await service.createUser();
        const accountId = await service.connect(user);
        const cookie = await service.signIn(user);
        const [thief, own] = [`thief-${randomUUID()}`, `own-${randomUUID()}`];
        const stolen = await createKey(service, user, cookie);
        await createHook(service, { key: stolen.key }, receiverOf(service, thief));
        await createHook(service, user, receiverOf(service, own));
        const feed = await createFeed(service, user, cookie);
        log.expect((await service.send("GET", feed)).status === 200, "it opens", "the calendar address does not open");
        await service.prepare("POST", `/dashboard/keys/${stolen.id}/revoke`, { cookie, form: {} });
        await service.schedulePost(user, accountId, "After the revocation");
        const arrived = await waitFor(async () => (await received(service, own)).length > 0);
        log.expect(arrived, "the other goes on", "the webhook of another key got nothing");
        await sleep(500);
        const leaked = (await received(service, thief)).filter(({ body }) => body.includes("After the revocation"));
        log.expect(leaked.length === 0, "nothing sent", "the webhook of a revoked key still receives posts");
        await service.prepare("POST", "/dashboard/profile/password", {
          cookie,
          form: {
            current_password: user.password,
            new_password: service.addSecret(`new ${user.password}`),
            revoke_all: "yes",
          },
        });
        log.expectStatus("a calendar after everything was revoked", await service.send("GET", feed), 404);
      },
    },
    {
      name: "guesses of a calendar's secret",
      async run(service, log) {
        const address = randomUUID();
        const guess = () => randomBytes(16).toString("base64url");
        const paths = [
          "",
          "%00",
          "a",
          guess().slice(1),
          `${guess()}x`,
          "../dashboard",
          `${guess()}%2f`,
          "%27%20OR%201=1--",
        ];
        for (const path of paths) {
          log.expectStatus(path, await service.send("GET", `/calendar/${path}.ics`), 404);
        }
        let limited = 0;
        for (let count = 0; count < GUESSES; count += 1) {
          const answer = await service.send("GET", `/calendar/${guess()}.ics`, { address });
          log.expectStatus("a guess", answer, 404, 429);
          limited += answer.status === 429 ? 1 : 0;
        }
        log.expect(limited > 0, "limited", `${GUESSES} guesses from one address were not limited`);
      },
    },
  ],
} satisfies Topic;
