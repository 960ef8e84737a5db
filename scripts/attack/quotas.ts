import type { AttackedService, AttackUser } from "./attacked-service.ts";
import type { AttackLog, Topic } from "./attack.ts";

const PLAN = { plan: "starter" } as const;
const REQUESTS_PER_MINUTE = 240;

interface Limit {
  readonly limit: number;
  readonly used: number | null;
}

async function limitOf(service: AttackedService, { key }: AttackUser, name: string): Promise<Limit> {
  const { json } = await service.prepare("GET", "/v1/limits", { key });
  return json.limits[name];
}

/** Expects that the use has reached the limit and does not exceed it. */
async function expectAtLimit(service: AttackedService, log: AttackLog, user: AttackUser, name: string): Promise<void> {
  const { limit, used } = await limitOf(service, user, name);
  log.expect(used === limit, "the limit is exact", `${name}: ${used} of ${limit} are used`);
}

/** Creates keys in the dashboard, all at the same moment. Returns those that were created. */
async function createKeys(service: AttackedService, user: AttackUser, count: number): Promise<readonly string[]> {
  const cookie = await service.signIn(user);
  const form = new URLSearchParams([
    ["name", "One more"],
    ["scope", "posts:read"],
    ["expires_in_days", "30"],
    ["current_password", user.password],
  ]);
  const pages = await Promise.all(
    Array.from({ length: count }, () => service.send("POST", "/dashboard/keys", { cookie, form })),
  );
  return pages.flatMap(({ text }) => (/\balk_[0-9A-Za-z]{49}\b/.exec(text) ?? []).map((key) => service.addSecret(key)));
}

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

export default {
  topic: "quotas",
  attacks: [
    {
      name: "forty keys at the same moment, and their requests together",
      slow: true,
      async run(service, log) {
        const user = await service.createUser(PLAN);
        const keys = [user.key, ...(await createKeys(service, user, 40))];
        await expectAtLimit(service, log, user, "api_keys");
        log.expect(keys.length > 2, `${keys.length} keys`, "no further key was created, so that nothing was tried");
        let limited = 0;
        // Send more than twice the limit, because the next minute may begin meanwhile.
        for (let sent = 0; sent < 2 * REQUESTS_PER_MINUTE + 60; sent += 1) {
          const { status } = await service.send("GET", "/v1/platforms", { key: keys[sent % keys.length] });
          limited += status === 429 ? 1 : 0;
        }
        log.expect(limited >= 50, "429", `${keys.length} keys together were refused ${limited} times`);
      },
    },
    {
      name: "more workspaces than the plan has, at the same moment",
      async run(service, log) {
        const user = await service.createUser({ plan: "scale", subscription: "trialing" });
        const { limit, used } = await limitOf(service, user, "workspaces");
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            service.send("POST", "/v1/workspaces", { key: user.key, json: { name: `Workspace ${index}` } }),
          ),
        );
        const refused = answers.filter(({ status }) => status !== 201);
        log.expect(refused.length === 20 - (limit - (used ?? 0)), "exact", `${refused.length} of 20 were refused`);
        for (const answer of refused) {
          log.expectStatus("a workspace above the limit", answer, 403);
        }
        await expectAtLimit(service, log, user, "workspaces");
      },
    },
    {
      name: "more files from one host than may be fetched in an hour",
      async run(service, log) {
        const user = await service.createUser({ plan: "starter", subscription: "trialing" });
        const urls = (call: number) =>
          Array.from({ length: 10 }, (_, index) => `https://127.0.0.1/${call}-${index}.jpg`);
        const answers = await Promise.all(
          Array.from({ length: 12 }, (_, call) =>
            service.send("POST", "/v1/media", { key: user.key, json: { urls: urls(call) } }),
          ),
        );
        const limited = answers.filter(({ status }) => status === 429);
        // Expect fewer refusals than files beyond the limit, because the next hour may begin meanwhile.
        log.expect(limited.length >= 2, "429", `of 120 files of one host ${limited.length} calls were refused`);
        for (const { headers, json } of limited) {
          const isNamed = json?.details?.[0]?.message === "media_fetches_per_host_per_hour";
          log.expect(isNamed && headers["retry-after"] !== undefined, "named", "a refusal does not name the limit");
        }
      },
    },
    {
      name: "more previews and scheduled posts than a trial has",
      slow: true,
      async run(service, log) {
        const user = await service.createUser({ plan: "scale", subscription: "trialing" });
        const accountId = await service.connect(user);
        const { limit } = await limitOf(service, user, "scheduled_posts");
        const preview = async () => {
          const { json: previewed } = await service.send("POST", "/v1/posts/preview", {
            key: user.key,
            json: { caption: "One more", scheduled_at: tomorrow(), account_ids: [accountId] },
          });
          const token: unknown = previewed?.confirmation_token;
          return typeof token === "string" ? service.addSecret(token) : null;
        };
        const tokens: string[] = [];
        for (let count = 0; count < limit + 10; count += 1) {
          const token = await preview();
          if (token !== null) {
            tokens.push(token);
          }
        }
        const answers = await Promise.all(
          tokens.map((token) =>
            service.send("POST", "/v1/posts/confirm", { key: user.key, json: { confirmation_token: token } }),
          ),
        );
        const refused = answers.filter(({ status }) => status !== 200 && status !== 201);
        log.expect(refused.length === tokens.length - limit, "exact", `${refused.length} of ${tokens.length} refused`);
        for (const answer of refused) {
          log.expectStatus("a post above the limit", answer, 403);
        }
        await expectAtLimit(service, log, user, "scheduled_posts");
        const { limit: previews } = await limitOf(service, user, "previews_per_hour");
        const statuses = await Promise.all(
          Array.from({ length: 2 * previews }, async () => {
            const { status } = await service.send("POST", "/v1/posts/preview", {
              key: user.key,
              json: { caption: "One more", scheduled_at: tomorrow(), account_ids: [accountId] },
            });
            return status;
          }),
        );
        log.expect(statuses.includes(429), "429", `${2 * previews} previews were not limited`);
      },
    },
  ],
} satisfies Topic;
