import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "#core/clock.ts";
import { RefusalError, type RefusalDetail } from "#core/errors.ts";
import { PLAN_LIMITS } from "#core/plan.ts";
import { PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { checkSchedule, type ScheduleInput, type SchedulePreview } from "#planning/index.ts";
import { previewSchedule } from "#confirming/index.ts";
import {
  createAccount,
  createMedia,
  createTestContext,
  freezeClock,
  NOON,
  oneHourAhead,
  schedulePost,
  type TestContext,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

/** The real adapters, so that a check meets real rules. */
function createRealContext(actor: Parameters<typeof createTestContext>[0] = {}): TestContext {
  const adapters = Object.fromEntries(PLATFORMS.map((platform) => [platform, adapterFor(platform)]));
  return createTestContext({ adapters, ...actor });
}

/** Where a post needs no media and no options. */
const TEXT_PLATFORMS: ReadonlySet<unknown> = new Set(["linkedin", "x", "facebook", "threads", "bluesky", "mastodon"]);

/** What a preview refuses, or what it shows. */
async function previewOf(
  ctx: TestContext,
  input: ScheduleInput,
): Promise<{ problems: readonly RefusalDetail[]; preview: SchedulePreview | null }> {
  try {
    return { problems: [], preview: (await previewSchedule(ctx, input)).preview };
  } catch (error) {
    if (error instanceof RefusalError && error.refusal.details) {
      return { problems: error.refusal.details, preview: null };
    }
    throw error;
  }
}

async function storedKeys(): Promise<readonly string[]> {
  const { keys } = await env.TOKENS.list();
  return keys.map(({ name }) => name);
}

async function rowCounts(): Promise<unknown> {
  const tables = ["posts", "post_targets", "media", "accounts", "hourly_use"];
  const counts = await env.DB.batch(tables.map((table) => env.DB.prepare(`SELECT count(*) AS n FROM ${table}`)));
  return counts.map(({ results }) => results);
}

describe("a check and a preview of the same request", () => {
  test("find the same problems, or show the same targets; the check writes nothing in one round trip", async () => {
    const ctx = createRealContext();
    const accounts = await Promise.all(PLATFORMS.map((platform) => createAccount(ctx, platform)));
    const blocked = await createAccount(ctx, "x", { status: "needs_reconnect" });
    const media = [
      await createMedia(ctx, "image", "image/jpeg"),
      await createMedia(ctx, "image", "image/gif"),
      await createMedia(ctx, "video"),
    ];
    const missing = `${ctx.config.origin}/media/${crypto.randomUUID()}/file.bin`;
    const options = fc.dictionary(
      fc.constantFrom(
        "title",
        "placement",
        "board_ids",
        "langs",
        "visibility",
        "quote_tweet_url",
        "is_draft",
        "caption",
      ),
      fc.constantFrom("reels", "12", ["1"], true, 7, "https://x.com/ada/status/20", "x".repeat(300)),
      { maxKeys: 3, noNullPrototype: true },
    );
    const captions = fc.constantFrom(
      "Hello",
      "Good morning",
      " ",
      "<b>",
      "#a #b ".repeat(20),
      "x".repeat(290),
      "é".repeat(6000),
    );
    const target = fc.record(
      {
        accountId: fc.constantFrom(...accounts, blocked, crypto.randomUUID()),
        caption: captions,
        platformOptions: options,
      },
      { requiredKeys: ["accountId"] },
    );
    const inputs = fc.record<ScheduleInput>(
      {
        caption: captions,
        scheduledAt: fc.constantFrom(NOON - MINUTE, NOON + MINUTE, NOON + HOUR, NOON + DAY, NOON + 400 * DAY),
        targets: fc.array(target, { minLength: 1, maxLength: 3 }),
        mediaUrls: fc.array(fc.constantFrom(...media.map(({ url }) => url), missing), { maxLength: 2 }),
        postType: fc.constantFrom("text", "image", "video"),
      },
      { requiredKeys: ["caption", "scheduledAt"] },
    );
    const textAccounts = accounts.filter((_, index) => TEXT_PLATFORMS.has(PLATFORMS[index]));
    const plausible = fc.record<ScheduleInput>({
      caption: fc.constantFrom("Hello", "Good morning #news"),
      scheduledAt: fc.constantFrom(NOON + MINUTE, NOON + HOUR),
      accountIds: fc.uniqueArray(fc.constantFrom(...textAccounts), { minLength: 1, maxLength: 3 }),
      mediaUrls: fc.constantFrom([], [media[0]?.url ?? ""]),
    });
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 3, arbitrary: inputs }, { weight: 1, arbitrary: plausible }),
        async (input) => {
          const before = [await rowCounts(), await storedKeys()];
          ctx.counting.reset();
          const { problems, targets, warnings, mediaItems } = await checkSchedule(ctx, input);
          expect(ctx.counting.count).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
          expect([await rowCounts(), await storedKeys()]).toEqual(before);
          const previewed = await previewOf(ctx, input);
          expect(problems).toEqual(previewed.problems);
          accepted += previewed.preview ? 1 : 0;
          expect(previewed.preview ?? { targets, warnings, mediaItems }).toMatchObject({
            targets,
            warnings,
            mediaItems,
          });
        },
      ),
      { numRuns: 120, seed: 13 },
    );
    expect(accepted).toBeGreaterThan(10);
  });

  test("daily caps, duplicate texts and too many media are found alike", async () => {
    const ctx = createRealContext();
    const account = await createAccount(ctx, "x");
    const first = await schedulePost(ctx, { accountIds: [account], targets: undefined });
    const same = { caption: "Hello", scheduledAt: oneHourAhead(ctx) + MINUTE, accountIds: [account] };
    const check = await checkSchedule(ctx, same);
    expect(check.targets[0]?.warnings.map(({ code }) => code)).toContain("duplicate_text");
    expect(check.targets).toEqual((await previewOf(ctx, same)).preview?.targets);
    const image = await createMedia(ctx);
    const crowded = { ...same, mediaUrls: Array.from({ length: 51 }, () => image.url) };
    expect((await checkSchedule(ctx, crowded)).problems).toEqual((await previewOf(ctx, crowded)).problems);
    const edited = await checkSchedule(ctx, { ...same, editedPostId: first.id });
    expect(edited.targets[0]?.warnings.map(({ code }) => code)).not.toContain("duplicate_text");
  });
});

describe("what only a check does", () => {
  test("an empty text is reported with everything else, and its targets are shown", async () => {
    const ctx = createRealContext();
    const account = await createAccount(ctx, "youtube");
    const check = await checkSchedule(ctx, { caption: "", scheduledAt: NOON - 1, accountIds: [account] });
    const codes = check.problems.map(({ code }) => code);
    expect(codes.slice(0, 2)).toEqual(["caption_required", "scheduled_at_in_past"]);
    expect(codes).toContain("option_required");
    expect(check.targets).toMatchObject([{ accountId: account, captionLength: 0 }]);
  });

  test("without a time, nothing that depends on one is checked", async () => {
    const ctx = createRealContext();
    const account = await createAccount(ctx, "x");
    await schedulePost(ctx, { accountIds: [account], targets: undefined, scheduledAt: NOON + MINUTE });
    const check = await checkSchedule(ctx, { caption: "Hello", scheduledAt: null, accountIds: [account] });
    expect(check).toMatchObject({ problems: [], warnings: [] });
    expect(check.targets[0]?.warnings).toEqual([]);
  });

  test("addresses are checked as texts and never opened", async () => {
    let calls = 0;
    const ctx = createRealContext();
    const outbound = {
      ...ctx.outbound,
      publicFetch: () => Promise.resolve(new Response(null, { status: 500 + calls++ })),
    };
    const account = await createAccount(ctx, "bluesky");
    const image = await createMedia(ctx);
    const missing = `${ctx.config.origin}/media/${crypto.randomUUID()}/file.bin`;
    const mediaUrls = [image.url, "https://example.com/a.jpg", "not an address", "https://10.0.0.1/b.jpg", missing];
    const check = await checkSchedule(
      { ...ctx, outbound },
      { caption: "Hello", scheduledAt: oneHourAhead(ctx), accountIds: [account], mediaUrls },
    );
    expect(calls).toBe(0);
    expect(check.problems.map(({ code, param }) => `${code} ${param}`)).toEqual([
      "media_not_found media_urls[4]",
      "url_invalid media_urls[2]",
      "url_not_public media_urls[3]",
      "media_too_many media_urls",
    ]);
    expect(check.mediaItems.map(({ id }) => id)).toEqual([image.id, "", "", "", ""]);
  });

  test("a text that cannot be stored is the only problem, as in a preview", async () => {
    const ctx = createRealContext();
    const input = { caption: "a\0b", scheduledAt: NOON - 1, accountIds: [await createAccount(ctx, "x")] };
    const { problems } = await checkSchedule(ctx, input);
    expect(problems).toEqual((await previewOf(ctx, input)).problems);
    expect(problems).toMatchObject([{ code: "invalid_characters" }]);
  });

  test("a full schedule is told, but not for a post that is in it", async () => {
    const limits = { ...PLAN_LIMITS.growth, scheduledPosts: 1 };
    const ctx = createRealContext({ actor: { limits } });
    const account = await createAccount(ctx, "x");
    await env.DB.prepare("INSERT INTO workspaces (id, user_id, name, created_at) VALUES (?, ?, 'Studio', 1)")
      .bind(ctx.actor.workspaceId, ctx.actor.userId)
      .run();
    const post = await schedulePost(ctx, { accountIds: [account], targets: undefined });
    const input = { caption: "Another", scheduledAt: oneHourAhead(ctx), accountIds: [account] };
    expect((await checkSchedule(ctx, input)).limitReached).toContain("scheduled posts");
    expect((await checkSchedule(ctx, { ...input, editedPostId: post.id })).limitReached).toBeNull();
  });

  test("another user's account and media are unknown", async () => {
    const owner = createRealContext();
    const [account, media] = [await createAccount(owner, "x"), await createMedia(owner)];
    const ctx = createRealContext();
    const input = { caption: "Hi", scheduledAt: oneHourAhead(ctx), accountIds: [account], mediaUrls: [media.url] };
    const check = await checkSchedule(ctx, input);
    expect(check.problems.map(({ code }) => code).toSorted()).toEqual(["account_not_found", "media_not_found"]);
    expect(check).toMatchObject({ targets: [], accounts: [], mediaItems: [{ id: "" }] });
  });
});
