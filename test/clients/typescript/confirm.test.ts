import { env } from "cloudflare:workers";
import { afterEach, describe, test, vi } from "vitest";
import { MINUTE } from "#core/clock.ts";
import type { Platform } from "#core/platform.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import {
  AlmanacConnectionError,
  isAlmanacError,
  type Post,
  type ScheduledMany,
  type SchedulePreview,
} from "../../../clients/typescript/src/index.ts";
import { connectOneAccount, isoInDays } from "../../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../../support/create-caller.ts";
import { collect, createLossyClient } from "./lossy-client.ts";

const CONFIRM = "POST /posts/confirm";
const yes = { confirm: () => true };

interface Scene {
  readonly caller: ApiCaller;
  readonly post: { caption: string; scheduled_at: string; account_ids: string[] };
}

/** A platform limits how often somebody logs in. */
async function createScene(platform?: Platform): Promise<Scene> {
  const caller = await createCaller();
  const account = await connectOneAccount(caller, platform);
  return { caller, post: { caption: "A new glaze", scheduled_at: isoInDays(1), account_ids: [account.id] } };
}

/** What the database has, not what the client believes. */
async function countPosts({ caller }: Scene): Promise<number> {
  const row = await env.DB.prepare("SELECT COUNT(*) AS n FROM posts WHERE user_id = ?")
    .bind(caller.userId)
    .first<{ n: number }>();
  return row?.n ?? 0;
}

async function schedule(scene: Scene): Promise<Post> {
  const result = await createLossyClient(scene.caller).almanac.schedule(scene.post, yes);
  if (result.state !== "scheduled") {
    throw new Error(result.state);
  }
  return result.post;
}

afterEach(() => {
  setFailpointHook(undefined);
  vi.restoreAllMocks();
});

describe("schedule", () => {
  test("makes the post that `confirm` was shown", async ({ expect }) => {
    const scene = await createScene();
    const seen: SchedulePreview[] = [];
    const { almanac, sent } = createLossyClient(scene.caller);
    const result = await almanac.schedule(scene.post, {
      confirm: (preview) => {
        seen.push(preview);
        return true;
      },
    });
    expect(seen).toHaveLength(1);
    expect(result).toMatchObject({
      state: "scheduled",
      alreadyConfirmed: false,
      post: { caption: "A new glaze", status: "scheduled", plan_hash: seen[0]!.plan_hash },
    });
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /posts/preview", CONFIRM]);
    expect(await countPosts(scene)).toBe(1);
  });

  test.for([
    ["a no", (): boolean => false],
    ["a no that takes its time", async (): Promise<boolean> => await Promise.resolve(false)],
  ] as const)("writes nothing after %s", async ([, confirm], { expect }) => {
    const scene = await createScene();
    const { almanac, sent } = createLossyClient(scene.caller);
    expect(await almanac.schedule(scene.post, { confirm })).toMatchObject({
      state: "declined",
      preview: { caption: "A new glaze" },
    });
    expect(sent).toHaveLength(1);
    expect(await countPosts(scene)).toBe(0);
  });

  test("writes nothing when `confirm` throws or the signal is aborted meanwhile", async ({ expect }) => {
    const scene = await createScene();
    const { almanac } = createLossyClient(scene.caller);
    const decision = new Error("the person has gone");
    await expect(almanac.schedule(scene.post, { confirm: () => Promise.reject(decision) })).rejects.toBe(decision);
    const controller = new AbortController();
    const stopped = almanac.schedule(scene.post, {
      signal: controller.signal,
      confirm: () => {
        controller.abort(new Error("stopped"));
        return true;
      },
    });
    await expect(stopped).rejects.toThrow("stopped");
    expect(await countPosts(scene)).toBe(0);
  });

  test.for([["answer lost"], ["answer cut"], ["call lost"]] as const)(
    "makes one post when the confirm's %s, thrice",
    async ([fate], { expect }) => {
      const scene = await createScene();
      const { almanac, sent } = createLossyClient(scene.caller, { [CONFIRM]: [fate, fate, fate] });
      const result = await almanac.schedule(scene.post, yes);
      expect(result).toMatchObject({ state: "scheduled", post: { caption: "A new glaze" } });
      expect(new Set(sent.slice(1).map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1);
      expect(sent).toHaveLength(5);
      expect(await countPosts(scene)).toBe(1);
    },
  );

  test.for([
    ["before", false],
    ["after", true],
  ] as const)(
    "makes one post when the service is killed %s the write",
    async ([point, alreadyConfirmed], { expect }) => {
      const scene = await createScene();
      const { almanac, sent } = createLossyClient(scene.caller, { [CONFIRM]: [`killed ${point} the write`] });
      const result = await almanac.schedule(scene.post, yes);
      expect(result).toMatchObject({ state: "scheduled", alreadyConfirmed, post: { caption: "A new glaze" } });
      // The key of the killed call is in use for a minute: the token alone tells at once.
      const confirms = sent.filter(({ path }) => path === "/posts/confirm");
      expect(confirms.map(({ headers }) => headers.has("idempotency-key"))).toEqual([true, true, false]);
      expect(await countPosts(scene)).toBe(1);
    },
  );

  test.for([["confirm.before"], ["confirm.after"]] as const)(
    "makes one post when the service answers 500 at %s",
    async ([point], { expect }) => {
      const scene = await createScene();
      setFailpointHook((name) => {
        if (name === point) {
          setFailpointHook(undefined);
          throw new Error("failed on purpose");
        }
      });
      const { almanac, retries } = createLossyClient(scene.caller);
      expect(await almanac.schedule(scene.post, yes)).toMatchObject({ state: "scheduled" });
      expect(retries.map(({ reason }) => reason)).toEqual(["server_error"]);
      expect(await countPosts(scene)).toBe(1);
    },
  );

  test("says that nobody answered when nothing arrives, and the token can be confirmed later", async ({ expect }) => {
    const scene = await createScene();
    const lost = Array.from({ length: 6 }, () => "answer lost" as const);
    const { almanac } = createLossyClient(scene.caller, { [CONFIRM]: lost });
    const { confirmation_token: token } = await almanac.previewPost({ body: scene.post });
    await expect(almanac.confirm(token)).rejects.toThrow(AlmanacConnectionError);
    const another = createLossyClient(scene.caller);
    expect(await another.almanac.confirm(token)).toMatchObject({ posts: [{ caption: "A new glaze" }] });
    expect(await countPosts(scene)).toBe(1);
  });

  test("confirms a slow decision about the same preview with a new token", async ({ expect }) => {
    const scene = await createScene();
    const { almanac, sent } = createLossyClient(scene.caller);
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    let asked = 0;
    const result = await almanac.schedule(scene.post, {
      confirm: () => {
        asked += 1;
        now += 5 * MINUTE;
        return true;
      },
    });
    expect([result.state, asked]).toEqual(["scheduled", 1]);
    expect(sent.map(({ path }) => path)).toEqual(["/posts/preview", "/posts/preview", "/posts/confirm"]);
    expect(await countPosts(scene)).toBe(1);
  });

  test("asks once about a post for now, however long the decision takes", async ({ expect }) => {
    const scene = await createScene();
    const { almanac } = createLossyClient(scene.caller);
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const seen: SchedulePreview[] = [];
    const result = await almanac.schedule(
      { ...scene.post, scheduled_at: "now" },
      {
        confirm: (preview) => {
          seen.push(preview);
          now += 5 * MINUTE;
          return true;
        },
      },
    );
    expect(seen).toMatchObject([{ scheduled_at: "now" }]);
    const post = result.state === "scheduled" ? result.post : null;
    expect(Math.abs(Date.parse(post?.scheduled_at ?? "") - Date.now())).toBeLessThan(5000);
  });

  test("hands over the page of an approval", async ({ expect }) => {
    const scene = await createScene();
    await env.DB.prepare("UPDATE api_keys SET confirms = 'person' WHERE user_id = ?").bind(scene.caller.userId).run();
    const { almanac } = createLossyClient(scene.caller, { [CONFIRM]: ["answer lost"] });
    const result = await almanac.schedule(scene.post, yes);
    expect(result).toMatchObject({ state: "awaiting_approval", approval: { state: "pending" } });
    expect(await collect(almanac.approvals())).toHaveLength(1);
    expect(await countPosts(scene)).toBe(0);
  });

  test("throws every problem of a preview, by code", async ({ expect }) => {
    const scene = await createScene();
    const { almanac } = createLossyClient(scene.caller);
    const refused: unknown = await almanac
      .schedule(
        { ...scene.post, caption: "x".repeat(100_000), account_ids: [...scene.post.account_ids, crypto.randomUUID()] },
        yes,
      )
      .catch((error: unknown) => error);
    expect(isAlmanacError(refused, "validation_failed")).toBe(true);
    expect(isAlmanacError(refused, "not_found")).toBe(false);
    expect(refused).toMatchObject({
      status: 400,
      details: expect.arrayContaining([
        expect.objectContaining({ code: "caption_too_long" }),
        expect.objectContaining({ code: "account_not_found" }),
      ]),
    });
  });
});

describe("scheduleMany", () => {
  const BULK_CONFIRM = "POST /posts/bulk/confirm";
  const bodies = ({ post }: Awaited<ReturnType<typeof createScene>>) => ({
    posts: [post, { ...post, caption: "" }, { ...post, caption: "Another glaze" }],
    skip_invalid: true,
  });

  test.for([
    ["answer lost", false],
    ["call lost", false],
    ["killed before the write", false],
    ["killed after the write", true],
  ] as const)(
    "makes every good post once when the confirm's fate is: %s",
    async ([fate, alreadyConfirmed], { expect }) => {
      const scene = await createScene("threads");
      const { almanac } = createLossyClient(scene.caller, { [BULK_CONFIRM]: [fate] });
      const result = await almanac.scheduleMany(bodies(scene), yes);
      expect(result).toMatchObject({ state: "scheduled", alreadyConfirmed, posts: [{ row: 1 }, { row: 3 }] });
      const { posts } = result as ScheduledMany;
      for (const { id, plan_hash: hash } of posts) {
        expect((await almanac.getPost({ path: { id } })).post.plan_hash).toBe(hash);
      }
      expect(await countPosts(scene)).toBe(2);
    },
  );

  test("takes a table as it is", async ({ expect }) => {
    const scene = await createScene("threads");
    const { almanac, sent } = createLossyClient(scene.caller, { "POST /posts/bulk/preview": ["answer lost"] });
    const { caption, scheduled_at: at, account_ids: ids } = scene.post;
    const csv = `caption,scheduled_at,account_ids\n"${caption}, twice",${at},${ids[0]}\nToo late,2020-01-01T09:00:00Z,${ids[0]}\n`;
    const preview = await almanac.previewMany({ csv, skip_invalid: true });
    expect(preview.preview.posts).toMatchObject([{ problems: [] }, { problems: [{ code: "scheduled_at_in_past" }] }]);
    expect(sent[0]?.headers.get("content-type")).toBe("text/csv");
    await expect(almanac.scheduleMany({ csv }, yes)).rejects.toMatchObject({ details: [{ row: 2 }] });
    const result = await almanac.scheduleMany({ csv, skip_invalid: true }, yes);
    expect(result).toMatchObject({ state: "scheduled", posts: [{ row: 1 }] });
    expect(await countPosts(scene)).toBe(1);
  });

  test("in parts: each is asked about, and the first no is the end", async ({ expect }) => {
    const scene = await createScene("threads");
    const { almanac } = createLossyClient(scene.caller);
    const { scheduled_at: at, account_ids: ids } = scene.post;
    const posts = Array.from({ length: 102 }, (_, index) => ({ ...scene.post, caption: `Post ${index}` }));
    const csv = `caption,scheduled_at,account_ids\n${posts.map(({ caption }) => `${caption},${at},${ids[0]}`).join("\n")}`;
    const stop = [];
    for await (const result of almanac.scheduleInParts(
      { csv },
      { confirm: ({ posts: rows }) => rows.length === 100 },
    )) {
      stop.push(result);
    }
    expect(stop).toMatchObject([
      { state: "scheduled" },
      { state: "declined", preview: { posts: [{ row: 101 }, { row: 102 }] } },
    ]);
    expect(await countPosts(scene)).toBe(100);
    const rest = [];
    for await (const result of almanac.scheduleInParts({ csv, from_row: 101 }, yes)) {
      rest.push(result.preview.posts.length);
    }
    for await (const result of almanac.scheduleInParts({ posts: posts.slice(0, 101) }, { confirm: () => false })) {
      rest.push(result.preview.posts.length);
    }
    expect(rest).toEqual([2, 100]);
    expect(await countPosts(scene)).toBe(102);
  });

  test("writes nothing after a no, and does not ask about nothing", async ({ expect }) => {
    const scene = await createScene("threads");
    const { almanac, sent } = createLossyClient(scene.caller);
    expect(await almanac.scheduleMany(bodies(scene), { confirm: () => false })).toMatchObject({ state: "declined" });
    const nothing = { posts: [{ ...scene.post, caption: "" }], skip_invalid: true };
    let asked = 0;
    const confirm = () => (asked += 1) > 0;
    expect(await almanac.scheduleMany(nothing, { confirm })).toMatchObject({
      state: "declined",
      preview: { plan_hash: null },
    });
    expect(asked).toBe(0);
    expect(sent).toHaveLength(2);
    expect(await countPosts(scene)).toBe(0);
  });
});

describe("scheduleDraft", () => {
  test("makes one post of a draft, however often answers are lost, and the draft is gone", async ({ expect }) => {
    const scene = await createScene("threads");
    const { almanac } = createLossyClient(scene.caller, {
      "POST *preview": ["answer lost"],
      [CONFIRM]: ["answer lost"],
    });
    const { caption, account_ids: ids, scheduled_at: at } = scene.post;
    const { draft } = await almanac.createDraft({ body: { caption, account_ids: ids } });
    expect(await collect(almanac.drafts())).toMatchObject([{ id: draft.id }]);
    const result = await almanac.scheduleDraft(draft.id, { scheduled_at: at }, yes);
    expect(result).toMatchObject({ state: "scheduled", post: { caption } });
    expect(await countPosts(scene)).toBe(1);
    expect(await collect(almanac.drafts())).toEqual([]);
  });
});

describe("edit and retry", () => {
  test.for([["answer lost"], ["call lost"]] as const)(
    "changes the posts once when the confirm's %s",
    async ([fate], { expect }) => {
      const scene = await createScene();
      const post = await schedule(scene);
      const { almanac } = createLossyClient(scene.caller, { "POST /posts/edit/confirm": [fate] });
      const result = await almanac.edit({ post_ids: [post.id], caption: "Another glaze" }, yes);
      expect(result).toMatchObject({
        state: "edited",
        posts: [{ caption: "Another glaze", version: post.version + 1 }],
      });
    },
  );

  test("changes the posts once when the service is killed after the write", async ({ expect }) => {
    const scene = await createScene();
    const post = await schedule(scene);
    const { almanac } = createLossyClient(scene.caller, { "POST /posts/edit/confirm": ["killed after the write"] });
    const result = await almanac.edit({ post_ids: [post.id], caption: "Another glaze" }, yes);
    expect(result).toMatchObject({
      state: "edited",
      alreadyConfirmed: true,
      posts: [{ caption: "Another glaze", version: post.version + 1 }],
    });
  });

  test("asks again after a slow decision when the posts have changed meanwhile", async ({ expect }) => {
    const scene = await createScene();
    const post = await schedule(scene);
    const { almanac } = createLossyClient(scene.caller);
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    const versions: number[] = [];
    const result = await almanac.edit(
      { post_ids: [post.id], caption: "Another glaze" },
      {
        confirm: async ({ posts }) => {
          versions.push(posts[0]!.version);
          if (versions.length === 1) {
            await almanac.edit({ post_ids: [post.id], shift_minutes: 10 }, yes);
            now += 5 * MINUTE;
          }
          return true;
        },
      },
    );
    expect(result.state).toBe("edited");
    expect(versions).toEqual([post.version, post.version + 1]);
  });

  test("changes nothing after a no", async ({ expect }) => {
    const scene = await createScene();
    const post = await schedule(scene);
    const { almanac } = createLossyClient(scene.caller);
    const result = await almanac.edit({ post_ids: [post.id], caption: "Another glaze" }, { confirm: () => false });
    expect(result).toMatchObject({ state: "declined", preview: { action: "edit" } });
    expect((await almanac.getPost({ path: { id: post.id } })).post.version).toBe(post.version);
  });

  test("retry asks for a time that is still ahead", async ({ expect }) => {
    const scene = await createScene();
    const post = await schedule(scene);
    await env.DB.batch([
      env.DB.prepare("UPDATE posts SET status = 'failed' WHERE id = ?").bind(post.id),
      env.DB.prepare("UPDATE post_targets SET state = 'failed' WHERE post_id = ?").bind(post.id),
    ]);
    const { almanac } = createLossyClient(scene.caller);
    const result = await almanac.retry([post.id], { caption: "Another glaze" }, yes);
    expect(result).toMatchObject({ state: "edited", posts: [{ status: "scheduled", caption: "Another glaze" }] });
    const [retried] = result.state === "edited" ? result.posts : [];
    expect(Math.abs(Date.parse(retried?.scheduled_at ?? "") - Date.now())).toBeLessThan(5000);
  });
});

describe("cancel", () => {
  test.for([["answer lost"], ["call lost"]] as const)(
    "says that the post is cancelled when the %s",
    async ([fate], { expect }) => {
      const scene = await createScene();
      const post = await schedule(scene);
      const { almanac } = createLossyClient(scene.caller, { [`DELETE /posts/${post.id}`]: [fate] });
      expect(await almanac.cancel(post.id, { confirm: ({ id }) => id === post.id })).toMatchObject({
        state: "cancelled",
        status: "cancelled",
      });
    },
  );

  test("leaves the post alone after a no", async ({ expect }) => {
    const scene = await createScene();
    const post = await schedule(scene);
    const { almanac } = createLossyClient(scene.caller);
    expect(await almanac.cancel(post.id, { confirm: () => false })).toMatchObject({ state: "declined" });
    expect((await almanac.getPost({ path: { id: post.id } })).post.status).toBe("scheduled");
  });
});
