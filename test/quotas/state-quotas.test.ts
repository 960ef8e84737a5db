import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createKey, listKeys, rotateKey } from "#auth/index.ts";
import { approveRequest } from "#auth/oauth/decide-request.ts";
import type { Context } from "#context.ts";
import { startUpload } from "#media/index.ts";
import { confirmEdit, confirmSchedule, previewEdit, previewSchedule } from "#confirming/index.ts";
import type { PlanLimits } from "#core/plan.ts";
import { createWorkspace, listWorkspaces } from "#workspaces/index.ts";
import { createTestContext as createMediaContext } from "../media/test-context.ts";
import {
  createAccount,
  createTestContext,
  detailCodes,
  oneHourAhead,
  refusalOf,
  refusalsIn,
  updatePostRow,
} from "../posts/test-context.ts";

function withLimits<Ctx extends Context>(ctx: Ctx, limits: Partial<PlanLimits>): Ctx {
  return { ...ctx, actor: { ...ctx.actor, limits: { ...ctx.actor.limits, ...limits } } };
}

async function insertWorkspaceRow({ actor }: Context, id = actor.workspaceId): Promise<void> {
  await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Mine', 1)")
    .bind(id, actor.userId)
    .run();
}

const eight = <T>(work: (index: number) => Promise<T>) =>
  Promise.allSettled(Array.from({ length: 8 }, (_, index) => work(index)));

describe("scheduled posts", () => {
  test("of eight parallel confirms only those within the limit schedule, and then a preview fetches nothing", async () => {
    const fetched: string[] = [];
    const ctx = withLimits(createTestContext(), { scheduledPosts: 3 });
    await insertWorkspaceRow(ctx);
    const x = await createAccount(ctx);
    const input = { caption: "Hello", scheduledAt: oneHourAhead(ctx), accountIds: [x] };
    const tokens: string[] = [];
    for (let count = 0; count < 8; count += 1) {
      tokens.push((await previewSchedule(ctx, input)).confirmationToken);
    }
    const results = await eight((index) => confirmSchedule(ctx, { confirmationToken: tokens[index] ?? "" }));
    const refusals = refusalsIn(results);
    expect(refusals).toHaveLength(5);
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({
        code: "quota_exceeded",
        message:
          "your limit is 3 scheduled posts, and 3 are used: cancel some, wait until some are published, or choose a larger plan",
        details: [{ code: "quota_exceeded", message: "scheduled_posts", limit: 3, actual: 3 }],
      });
    }
    const outbound = {
      ...ctx.outbound,
      publicFetch: (request: Request) => {
        fetched.push(request.url);
        return Promise.resolve(new Response(null, { status: 599 }));
      },
    };
    const refused = await refusalOf(
      previewSchedule({ ...ctx, outbound }, { ...input, mediaUrls: ["https://1.1.1.1/a.jpg"] }),
    );
    expect(refused.code).toBe("quota_exceeded");
    expect(fetched).toEqual([]);
    // What is wrong with the post is told before the limit.
    const wrong = await refusalOf(previewSchedule(ctx, { ...input, caption: "a".repeat(101) }));
    expect(detailCodes(wrong)).toEqual(["caption_too_long caption"]);
  });

  test("an edit of a scheduled post needs no room, the retry of a failed one does", async () => {
    const ctx = withLimits(createTestContext(), { scheduledPosts: 1 });
    await insertWorkspaceRow(ctx);
    const x = await createAccount(ctx);
    const schedule = async () => {
      const input = { caption: "Hello", scheduledAt: oneHourAhead(ctx), accountIds: [x] };
      const { posts } = await confirmSchedule(ctx, await previewSchedule(ctx, input));
      return posts[0]?.id ?? "";
    };
    const failed = await schedule();
    const edit = await previewEdit(ctx, { postIds: [failed], caption: "Bye" });
    expect((await confirmEdit(ctx, edit)).posts).toHaveLength(1);
    await updatePostRow(failed, { status: "failed", watch_at: null });
    await env.DB.prepare("UPDATE post_targets SET state = 'failed' WHERE post_id = ?").bind(failed).run();
    await schedule();
    const retry = await previewEdit(ctx, { postIds: [failed], shiftMinutes: 60 });
    expect((await refusalOf(confirmEdit(ctx, retry))).code).toBe("quota_exceeded");
  });
});

describe("API keys", () => {
  test("of eight parallel calls only those within the limit create a key", async () => {
    const ctx = createTestContext();
    const { userId } = ctx.actor;
    const input = { userId, name: "k", scopes: ["posts:read"], expiresInDays: null, limit: 3 };
    const refusals = refusalsIn(await eight(() => createKey(ctx, input)));
    expect(refusals).toHaveLength(5);
    expect(refusals[0]).toMatchObject({
      code: "quota_exceeded",
      details: [{ code: "quota_exceeded", message: "api_keys", limit: 3, actual: 3 }],
    });
    expect(await listKeys(ctx, { userId })).toHaveLength(3);
  });

  test("rotating needs room for the old and the new key, and cannot go on without end", async () => {
    const ctx = createTestContext();
    const { userId } = ctx.actor;
    const { id } = await createKey(ctx, { userId, name: "k", scopes: ["posts:read"], expiresInDays: null, limit: 1 });
    await rotateKey(ctx, { userId, id, limit: 1 });
    const refusal = await refusalOf(rotateKey(ctx, { userId, id, limit: 1 }));
    expect(refusal).toMatchObject({ code: "quota_exceeded", details: [{ limit: 2, actual: 2 }] });
  });
});

describe("workspaces", () => {
  test("of eight parallel calls only those within the limit create a workspace", async () => {
    const ctx = withLimits(createTestContext(), { workspaces: 3 });
    await insertWorkspaceRow(ctx);
    const refusals = refusalsIn(await eight((index) => createWorkspace(ctx, { name: `Studio ${index}` })));
    expect(refusals).toHaveLength(6);
    expect(refusals[0]).toMatchObject({
      code: "quota_exceeded",
      details: [{ code: "quota_exceeded", message: "workspaces", limit: 3, actual: 3 }],
    });
    expect(await listWorkspaces(ctx)).toHaveLength(3);
  });
});

describe("connected apps", () => {
  test("an app above the limit gets no grant; a connected one can be approved again", async () => {
    const ctx = createTestContext();
    const approve = (clientId: string) =>
      approveRequest(ctx, {
        userId: ctx.actor.userId,
        request: {
          client: { id: clientId, name: "App", uri: null },
          redirectUri: "https://app.example/callback",
          codeChallenge: "c",
          scopes: ["posts:read"],
          resource: ctx.config.baseUrl,
          state: null,
        } as unknown as Parameters<typeof approveRequest>[1]["request"],
        selectedScopes: ["posts:read"],
        confirms: undefined,
        workspaceId: null,
        limit: 2,
      });
    const refusals = refusalsIn(await eight((index) => approve(`app-${index}`)));
    expect(refusals).toHaveLength(6);
    expect(refusals[0]).toMatchObject({
      code: "quota_exceeded",
      details: [{ code: "quota_exceeded", message: "connected_apps", limit: 2, actual: 2 }],
    });
    const { results } = await env.DB.prepare("SELECT client_id FROM oauth_grants WHERE user_id = ?")
      .bind(ctx.actor.userId)
      .all<{ client_id: string }>();
    expect(results).toHaveLength(2);
    expect(await approve(results[0]?.client_id ?? "")).toContain("code=");
  });
});

describe("media bytes", () => {
  test("count in all workspaces of the user", async () => {
    const ctx = withLimits(createMediaContext(), { storageBytes: 100 });
    const other = { ...ctx, actor: { ...ctx.actor, workspaceId: crypto.randomUUID() } };
    await insertWorkspaceRow(ctx);
    await insertWorkspaceRow(other);
    const file = { filename: "a.png", contentType: "image/png", sizeBytes: 60 };
    await startUpload(ctx, file);
    expect(await refusalOf(startUpload(other, file))).toMatchObject({
      code: "storage_limit_reached",
      details: [{ limit: 100, actual: 120 }],
    });
    await startUpload(other, { ...file, sizeBytes: 40 });
  });
});
