import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { generateSecret } from "#auth/secrets.ts";
import type { Env } from "#config.ts";
import type { ArmHint, KeptPlansApi, PostPublisherApi } from "#core/arming.ts";
import { systemClock } from "#core/clock.ts";
import { systemIds } from "#core/ids.ts";
import { movePostTotals } from "#posts/summary/store-move-post-totals.ts";
import { MAX_CLAIM_AHEAD_MS, MIN_CLAIM_AHEAD_MS } from "#publisher/wake-times.ts";
import { createService } from "../../src/service.ts";
import { PublisherHarness } from "../publisher/publisher-harness.ts";
import { connectOneAccount, isoInDays } from "../support/api-workflows.ts";
import { countingD1 } from "../support/counting-d1.ts";
import { sample } from "../media/samples.ts";
import { createCaller } from "../support/create-caller.ts";
import { ORIGIN } from "../support/origin.ts";

function unreachable(): never {
  throw new Error("these requests need no platform");
}
const service = createService(() => ({
  platformFetch: unreachable,
  publicFetch: () => Promise.resolve(new Response(sample("photo.png"), { headers: { "content-type": "image/png" } })),
  browserUrl: (url) => url,
  trustedMediaOrigin: null,
}));

const APPS = {
  X_CLIENT_ID: "id",
  X_CLIENT_SECRET: "secret",
  LINKEDIN_CLIENT_ID: "id",
  LINKEDIN_CLIENT_SECRET: "secret",
};

/** The service's bindings, counted. */
function countedBindings() {
  const d1 = countingD1(env.DB);
  const none = { kvReads: 0, kvWrites: 0, r2Reads: 0, r2Writes: 0, objectCalls: 0 };
  const calls = { ...none };
  const counted = {
    ...env,
    ...APPS,
    DB: d1.d1,
    // A deletion is free.
    MEDIA: new Proxy(env.MEDIA, {
      get: (bucket, name) => {
        calls.r2Reads += name === "get" || name === "head" ? 1 : 0;
        calls.r2Writes += name === "put" || name === "list" ? 1 : 0;
        const member: unknown = Reflect.get(bucket, name);
        return typeof member === "function" ? member.bind(bucket) : member;
      },
    }),
    TOKENS: {
      get: (...key: Parameters<typeof env.TOKENS.get>) => {
        calls.kvReads += 1;
        return env.TOKENS.get(...key);
      },
      put: (...entry: Parameters<typeof env.TOKENS.put>) => {
        calls.kvWrites += 1;
        return env.TOKENS.put(...entry);
      },
    },
    POSTS: {
      idFromName: (name: string) => env.POSTS.idFromName(name),
      get: (id: DurableObjectId): Pick<PostPublisherApi & KeptPlansApi, "sync" | "keepPlan"> => ({
        sync: (hint: ArmHint) => {
          calls.objectCalls += 1;
          return (env.POSTS.get(id) as unknown as PostPublisherApi).sync(hint);
        },
        keepPlan: (...plan) => {
          calls.objectCalls += 1;
          return (env.POSTS.get(id) as unknown as KeptPlansApi).keepPlan(...plan);
        },
      }),
    },
  } as unknown as Env;
  return {
    env: counted,
    take: () => {
      const { roundTrips: trips, ...rows } = d1.count;
      const taken = { trips, ...rows, ...calls };
      d1.reset();
      Object.assign(calls, none);
      return taken;
    },
  };
}

/** Of one request with an API key whose last use is recorded already, in a workspace with three posts. */
async function costsOfRequests() {
  const caller = await createCaller();
  const [x, linkedin] = [await connectOneAccount(caller, "x"), await connectOneAccount(caller, "linkedin")];
  const bindings = countedBindings();
  const costs: Record<string, object> = {};
  let second = 10;
  const send = async (name: string | null, method: string, path: string, body?: unknown, key = caller.key) => {
    const deferred: Promise<unknown>[] = [];
    const response = await service.fetch(
      new Request(`${ORIGIN}/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { "content-type": "application/json" }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      bindings.env,
      { waitUntil: (work: Promise<unknown>) => void deferred.push(work) } as unknown as ExecutionContext,
    );
    const text = await response.text();
    expect([200, 401, 404], text).toContain(response.status);
    while (deferred.length > 0) {
      await Promise.all(deferred.splice(0));
    }
    const counted = bindings.take();
    if (name !== null) {
      costs[name] = { ...counted, responseBytes: text.length };
    }
    return JSON.parse(text) as {
      readonly confirmation_token: string;
      readonly posts: readonly { readonly id: string }[];
    };
  };
  const create = async (name: string, days: number, isCosted: boolean): Promise<string> => {
    const accounts = name.startsWith("one target") ? [x] : [x, linkedin];
    const preview = await send(isCosted ? `preview, ${name}` : null, "POST", "/posts/preview", {
      caption: "The kiln is cold and the new glaze is out.",
      // Always at the same hour, which is in the summary, and each at an instant of its own.
      scheduled_at: isoInDays(days).replace(/T.*/, `T12:34:${(second += 1)}.789Z`),
      account_ids: accounts.map(({ id }) => id),
      ...(name.endsWith("one image") && { media_urls: ["https://files.example.net/kiln.png"] }),
    });
    const token = { confirmation_token: preview.confirmation_token };
    const { posts } = await send(isCosted ? `confirm, ${name}` : null, "POST", "/posts/confirm", token);
    return posts[0]?.id ?? "";
  };
  // The first request with a key records its use; the first post of a day makes the day's row.
  await create("two targets", 60, false);
  await create("one target", 60, true);
  const id = await create("two targets", 60, true);
  await send("get", "GET", `/posts/${id}`);
  await send("list 50", "GET", "/posts?limit=50");
  await send("summary", "GET", "/schedule/summary");
  await send("404", "GET", `/posts/${crypto.randomUUID()}`);
  await send("401", "GET", "/posts", undefined, generateSecret(systemIds(systemClock), "api_key"));
  const edit = await send("edit preview", "POST", "/posts/edit/preview", { post_ids: [id], caption: "Changed." });
  await send("edit confirm", "POST", "/posts/edit/confirm", { confirmation_token: edit.confirmation_token });
  await send("cancel", "DELETE", `/posts/${id}`, { confirm: true });
  await create("one target, one image", 60, true);
  return costs;
}

/** A range of an index is read up to the row after it, which is another workspace's or not, as their ids happen to be. */
async function deleteOtherPosts(): Promise<void> {
  const tables = ["posts", "post_targets", "post_media", "post_days", "post_totals", "accounts", "connections"];
  await env.DB.batch(tables.map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
}

/** Of the object of one post, from arming to the end; a storage row is a write of its storage, an alarm is one too. */
async function costsOfPublishing(platforms: readonly ("x" | "linkedin")[], { image = false } = {}) {
  await deleteOtherPosts();
  const harness = await PublisherHarness.open();
  // The harness lives in the future of the workspace's totals, which have a row to write for days that are far ahead.
  await movePostTotals(harness.ctx.db, harness.now, 1000);
  const id = await harness.createPost({ on: platforms });
  if (image) {
    await harness.attachMedia(id, "image");
  }
  Object.assign(harness.d1Usage, { rowsRead: 0, rowsWritten: 0, roundTrips: 0 });
  let alarms = 0;
  for (let at = await harness.alarmAt(id); at !== null; at = await harness.alarmAt(id)) {
    harness.now = Math.max(harness.now, at);
    alarms += 1;
    await harness.fireAlarm(id);
  }
  expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  const { roundTrips: trips, rowsRead, rowsWritten } = harness.d1Usage;
  const writes = Object.values(await harness.storageWrites(id));
  return { trips, rowsRead, rowsWritten, alarms, storageRows: writes.reduce((sum, count) => sum + count, 0) };
}

test("a post and each request cost what costs.json says", async () => {
  const costs = {
    requests: await costsOfRequests(),
    publishing: {
      "one target": await costsOfPublishing(["x"]),
      "two targets": await costsOfPublishing(["x", "linkedin"]),
      "one target, one image": await costsOfPublishing(["x"], { image: true }),
    },
    // On average, of an object with nothing to prepare.
    awakeMs: (MIN_CLAIM_AHEAD_MS + MAX_CLAIM_AHEAD_MS) / 2,
  };
  await expect(`${JSON.stringify(costs, null, 2)}\n`).toMatchFileSnapshot("./costs.json");
});
