import { randomBytes } from "node:crypto";
import type { Answer, AttackedService } from "./attacked-service.ts";
import type { Topic } from "./attack.ts";

/**
 * How many requests an address sends: more than twice the limit of a minute, because the next minute may begin
 * meanwhile.
 */
const REQUESTS = 150;
/** How many answers a trial stores. The next constants are the limits of its workspace's log. */
const STORED_ANSWERS = 1000;
const EVENT_LOG_BYTES = 8 * 1024 ** 2;
const CALLBACK = "https://app.example/callback";

/** The first 48 bits of a random IPv6 address, which no other client of the attack has. */
const ipv6Network = (): string => `2001:db8:${randomBytes(2).toString("hex")}`;

const register = (service: AttackedService, address: string): Promise<Answer> =>
  service.send("POST", "/oauth/register", {
    address,
    json: { redirect_uris: [CALLBACK], token_endpoint_auth_method: "none" },
  });

export default {
  topic: "limits",
  attacks: [
    {
      name: "one IPv6 subscriber with another address for each request",
      async run(service, log) {
        const wrongKey = `alk_${"x".repeat(49)}`;
        const purposes: Readonly<Record<string, (address: string) => Promise<Answer>>> = {
          registrations: (address) => register(service, address),
          "wrong keys": (address) => service.send("GET", "/v1/accounts", { key: wrongKey, address }),
          "guessed calendars": (address) =>
            service.send("GET", `/calendar/${randomBytes(16).toString("base64url")}.ics`, { address }),
        };
        for (const [what, send] of Object.entries(purposes)) {
          const network = ipv6Network();
          let limited = 0;
          for (let count = 0; count < REQUESTS; count += 1) {
            limited += (await send(`${network}:1::${count.toString(16)}`)).status === 429 ? 1 : 0;
          }
          log.expect(limited > 0, "429", `${REQUESTS} ${what} from one network of 64 bits were not limited`);
        }
      },
    },
    {
      name: "texts of a trial that fill the database: drafts and long posts",
      slow: true,
      async run(service, log) {
        const user = await service.createUser({ plan: "scale", subscription: "trialing" });
        const { json: limits } = await service.prepare("GET", "/v1/limits", { key: user.key });
        const draftBytes: number = limits.limits.draft_bytes.limit;
        const caption = "x".repeat(250_000);
        let stored = 0;
        let refused = 0;
        while (refused === 0 && stored <= draftBytes) {
          const answers = await Promise.all(
            Array.from({ length: 10 }, () => service.send("POST", "/v1/drafts", { key: user.key, json: { caption } })),
          );
          stored += answers.filter(({ status }) => status === 201).length * caption.length;
          refused += answers.filter(({ status }) => status === 403).length;
        }
        log.expect(refused > 0 && stored <= draftBytes, "403", `${stored} bytes of drafts were stored`);
        const accountId = await service.connect(user, "facebook");
        const textBytes: number = limits.limits.text_bytes_per_hour.limit;
        let confirmed = 0;
        let limited = 0;
        // Confirm twice as much as the limit, because the next hour may begin meanwhile.
        for (let count = 0; limited === 0 && confirmed <= 2 * textBytes; count += 1) {
          const { json: previewed } = await service.prepare("POST", "/v1/posts/preview", {
            key: user.key,
            json: {
              caption: `${count} ${"x".repeat(50_000)}`,
              scheduled_at: new Date(Date.now() + (count + 1) * 3_600_000).toISOString(),
              account_ids: [accountId],
            },
          });
          const token = service.addSecret(previewed.confirmation_token);
          const { status } = await service.send("POST", "/v1/posts/confirm", {
            key: user.key,
            json: { confirmation_token: token },
          });
          confirmed += status === 200 ? 50_000 : 0;
          limited += status === 429 ? 1 : 0;
        }
        log.expect(limited > 0, "429", `${confirmed} bytes of long posts were confirmed within an hour`);
      },
    },
    {
      name: "answers, events and previews of a trial that fill the database",
      async run(service, log) {
        const user = await service.createUser({ plan: "scale", subscription: "trialing" });
        const { key } = user;
        let stored = 0;
        for (let sent = 0; sent < STORED_ANSWERS + 50; sent += 50) {
          const answers = await Promise.all(
            Array.from({ length: 50 }, (_, index) =>
              service.send("POST", "/v1/posts/confirm", {
                key,
                json: {},
                headers: { "idempotency-key": `${sent + index}` },
              }),
            ),
          );
          stored += answers.filter(({ status }) => status === 400).length;
        }
        log.expect(stored === STORED_ANSWERS, "403", `a trial stored ${stored} answers`);

        const accountId = await service.connect(user, "facebook");
        const tooLarge = await service.send("POST", "/v1/posts/preview", {
          key,
          json: {
            caption: "Hello",
            scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
            targets: [{ account_id: accountId, platform_options: { unknown: "x".repeat(600_000) } }],
          },
        });
        log.expectStatus("a preview of 600 kB", tooLarge, 400);

        const cookie = await service.signIn(user);
        await service.send("POST", "/webhooks/event-log", { cookie, form: { log: "on" } });
        const id = await service.schedulePost(user, accountId, "x".repeat(60_000));
        const changes = 2 * Math.ceil(EVENT_LOG_BYTES / 120_000);
        for (let count = 0; count < changes; count += 1) {
          await service.prepare("PUT", `/v1/posts/${id}/annotations`, { key, json: { notes: `${count}` } });
        }
        let kept = 0;
        for (let after: number | null = 0; after !== null;) {
          const { json: page } = await service.prepare("GET", `/v1/events?limit=100&after=${after}`, { key });
          kept += page.events.length;
          after = page.has_more === true ? page.next_after : null;
        }
        log.expect(
          kept > 0 && kept < changes,
          `${kept} of ${changes} events are kept`,
          `a trial's log keeps ${kept} events of 120 kB`,
        );
      },
    },
    {
      name: "the fresh app of somebody else, evicted by a thousand registrations",
      slow: true,
      async run(service, log) {
        const { json: victim } = await register(service, "192.0.2.1");
        const user = await service.createUser();
        const cookie = await service.signIn(user);
        let registered = 0;
        for (let network = 0; registered < 1100; network += 1) {
          const answers = await Promise.all(
            Array.from({ length: 50 }, (_, index) => register(service, `198.51.${network}.${index}`)),
          );
          registered += answers.filter(({ status }) => status === 201).length;
        }
        const query = new URLSearchParams({
          response_type: "code",
          client_id: victim.client_id,
          redirect_uri: CALLBACK,
          state: "x",
          scope: "posts:read",
          code_challenge: randomBytes(32).toString("base64url"),
          code_challenge_method: "S256",
        });
        const page = await service.send("GET", `/oauth/authorize?${query.toString()}`, { cookie });
        log.expectStatus("the consent page of an app that registered before", page, 200);
      },
    },
  ],
} satisfies Topic;
