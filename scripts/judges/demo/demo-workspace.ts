import { type PlatformRules, requiredOptions } from "../../platform-rules.ts";
import { call, sleep } from "../../service.ts";
import { CAPTIONS } from "./captions.ts";
import { createWebhooks, findTriedDelivery } from "./webhooks.ts";
import { createAskingKey, requestApproval } from "./asking-key.ts";

/** A user whose workspace has every platform and a month of posts in all states. */
export interface DemoWorkspace {
  readonly email: string;
  readonly password: string;
  readonly key: string;
  /** A post of each kind, by what is special about it. */
  readonly posts: Readonly<Record<"scheduled" | "published" | "failed" | "partial", string>>;
  /** What is not scheduled yet. */
  readonly draft: string;
  /** What an agent asks a person to approve. */
  readonly approval: string;
  /** A webhook with failed deliveries, and one of these deliveries. */
  readonly webhook: string;
  readonly delivery: string;
  /** The first day of the month that holds most posts, `YYYY-MM-DD`. */
  readonly month: string;
}

const DAY_MS = 86_400_000;
const PASSWORD = "a workspace for pictures";
const SETTLE_TIMEOUT_MS = 90_000;
const OPEN_STATES: ReadonlySet<string> = new Set(["scheduled", "publishing"]);

interface DemoAccount {
  readonly id: string;
  readonly platform: string;
}

/** Fills a new workspace through the API, as a program would. */
export async function createDemoWorkspace(origin: string): Promise<DemoWorkspace> {
  const email = `ada-${Date.now().toString(36)}@example.com`;
  const { api_key: key } = await call<{ api_key: string }>(origin, "POST", "/sandbox/users", {
    body: { email, password: PASSWORD },
  });
  const get = <T>(path: string) => call<T>(origin, "GET", `/v1${path}`, { key });
  const { platforms: rules } = await get<{ platforms: PlatformRules[] }>("/platforms");
  for (const { platform } of rules) {
    await call(origin, "POST", "/sandbox/connect", { body: { api_key: key, platform } });
  }
  const { accounts } = await get<{ accounts: DemoAccount[] }>("/accounts");

  const webhook = await createWebhooks(origin, key);

  const preview = async (
    caption: string,
    dueAt: number,
    platforms: readonly string[],
    { media = [], as = key }: { readonly media?: readonly string[]; readonly as?: string } = {},
  ): Promise<string> => {
    const targets: object[] = [];
    for (const name of platforms) {
      const account = accounts.find(({ platform }) => platform === name);
      const ofPlatform = rules.find(({ platform }) => platform === name);
      if (account && ofPlatform) {
        const options = await requiredOptions(ofPlatform, account.id, get);
        targets.push({ account_id: account.id, ...(Object.keys(options).length > 0 && { platform_options: options }) });
      }
    }
    const body = {
      caption,
      scheduled_at: new Date(dueAt).toISOString(),
      targets,
      ...(media.length > 0 && { media_urls: media.map((name) => `${origin}/sandbox/media/${name}`) }),
    };
    const { confirmation_token: token } = await call<{ confirmation_token: string }>(
      origin,
      "POST",
      "/v1/posts/preview",
      { key: as, body },
    );
    return token;
  };
  const schedule = async (
    caption: string,
    dueAt: number,
    platforms: readonly string[],
    media: readonly string[] = [],
  ): Promise<string> => {
    const token = await preview(caption, dueAt, platforms, { media });
    const { posts } = await call<{ posts: [{ id: string }] }>(origin, "POST", "/v1/posts/confirm", {
      key,
      body: { confirmation_token: token },
    });
    return posts[0].id;
  };

  const soon = () => Date.now() + 5000;
  const published = await schedule(CAPTIONS.published, soon(), ["linkedin", "facebook", "mastodon"], ["portrait.jpg"]);
  await schedule(CAPTIONS.answered, soon(), ["bluesky", "threads"]);
  await settle(origin, key);
  const refusal = {
    match: { method: "POST", path: "/2/tweets" },
    effect: "answer",
    status: 403,
    body: { title: "Forbidden", detail: "You are not permitted to perform this action.", status: 403 },
  };
  await call(origin, "POST", "/sandbox/platforms/x/faults", { body: refusal });
  const failed = await schedule(CAPTIONS.failed, soon(), ["x"]);
  await settle(origin, key);
  await call(origin, "POST", "/sandbox/platforms/x/faults", { body: refusal });
  const partial = await schedule(CAPTIONS.partial, soon(), ["x", "linkedin"]);
  await settle(origin, key);

  const month = firstOfNextMonth();
  let scheduled = "";
  for (const [index, caption] of CAPTIONS.month.entries()) {
    const day = Math.floor(index * 1.25);
    const dueAt = Date.parse(month) + day * DAY_MS + (8 + ((index * 5) % 11)) * 3_600_000 + (index % 2) * 1_800_000;
    const kind = MEDIA_KINDS[index % MEDIA_KINDS.length] ?? MEDIA_KINDS[0];
    const id = await schedule(caption, dueAt, kind.platforms, kind.media);
    scheduled = index === 0 ? id : scheduled;
  }
  await schedule("Open studio today: come by until six", Date.now() + 3 * 3_600_000, ["linkedin", "bluesky", "x"]);
  await call(origin, "POST", "/v1/drafts", { key, body: { caption: CAPTIONS.drafts.empty } });
  const { draft } = await call<{ draft: { id: string } }>(origin, "POST", "/v1/drafts", {
    key,
    body: { caption: CAPTIONS.drafts.begun, platforms: ["linkedin", "bluesky"], scheduled_at: month },
  });
  const slots = [1, 3, 5].flatMap((weekday) => ["09:30", "18:00"].map((time) => ({ weekday, time })));
  await call(origin, "PUT", "/v1/schedule/slots", { key, body: { time_zone: "Europe/Berlin", slots } });
  const agent = await createAskingKey(origin, { email, password: PASSWORD });
  const token = await preview(CAPTIONS.asked, Date.parse(month) + 10 * 3_600_000, ["instagram", "linkedin"], {
    media: ["portrait.jpg"],
    as: agent,
  });
  const approval = await requestApproval(origin, agent, token);
  const posts = { scheduled, published, failed, partial };
  const delivery = await findTriedDelivery(origin, key, webhook);
  return { email, password: PASSWORD, key, posts, draft: draft.id, approval, webhook, delivery, month };
}

const MEDIA_KINDS = [
  { platforms: ["instagram", "facebook", "pinterest"], media: ["portrait.jpg"] },
  { platforms: ["linkedin", "x", "bluesky", "mastodon", "threads"], media: [] },
  { platforms: ["instagram", "youtube", "tiktok"], media: ["portrait.mp4"] },
  { platforms: ["threads"], media: [] },
  { platforms: ["linkedin", "facebook"], media: ["square.png"] },
] as const;

function firstOfNextMonth(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString().slice(0, 10);
}

/** Waits until nothing is left that is due now. */
async function settle(origin: string, key: string): Promise<void> {
  for (const deadline = Date.now() + SETTLE_TIMEOUT_MS; Date.now() < deadline; await sleep(500)) {
    const { posts } = await call<{ posts: { status: string; scheduled_at: string }[] }>(
      origin,
      "GET",
      "/v1/posts?fields=summary",
      { key },
    );
    if (
      !posts.some(({ status, scheduled_at: at }) => OPEN_STATES.has(status) && Date.parse(at) < Date.now() + 60_000)
    ) {
      return;
    }
  }
  throw new Error("posts are still being published");
}
