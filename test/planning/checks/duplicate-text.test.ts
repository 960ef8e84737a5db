import { beforeEach, describe, expect, test } from "vitest";
import { HOUR, MINUTE, SECOND, toIsoInstant } from "#core/clock.ts";
import { PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import { cancelPost } from "#post-status/index.ts";
import { confirmEdit, previewBulk, previewEdit, previewSchedule } from "#confirming/index.ts";
import { type EditInput, type ScheduleInput } from "#planning/index.ts";
import { callApi } from "../../support/call-api.ts";
import { createCaller } from "../../support/create-caller.ts";
import { scriptedAdapter } from "../../support/scripted-adapter.ts";
import {
  createAccount,
  createMedia,
  createTestContext,
  freezeClock,
  oneHourAhead,
  schedulePost,
  type TestContext,
  updatePostRow,
  updateTargetRow,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

const WINDOW = 10 * MINUTE;

/** X refuses duplicates for ten minutes, Instagram never. */
function createDuplicateContext(captionMax = 100): TestContext {
  const duplicateText = { windowSeconds: WINDOW / SECOND, note: "X refuses the same text for 10 minutes" };
  return createTestContext({
    adapters: { x: scriptedAdapter("x", { duplicateText, captionMax }), instagram: scriptedAdapter("instagram") },
  });
}

type Previewed = Partial<ScheduleInput> & { readonly scheduledAt: number };

/** The warnings of every target, each as its code. */
async function warningsOf(ctx: TestContext, input: Previewed): Promise<string[]> {
  const { preview } = await previewSchedule(ctx, { caption: "Hello", ...input });
  return preview.targets.flatMap(({ warnings }) => warnings.map(({ code }) => code));
}

async function editWarnings(ctx: TestContext, input: EditInput) {
  const { preview } = await previewEdit(ctx, input);
  return preview.posts.map(({ after }) => after.targets.flatMap(({ warnings }) => warnings));
}

describe("a preview warns of the same text for the same account", () => {
  test("up to the last second of the platform's window, before and after the other post", async () => {
    const ctx = createDuplicateContext();
    const x = await createAccount(ctx);
    const at = oneHourAhead(ctx);
    const post = await schedulePost(ctx, { accountIds: [x], scheduledAt: at });
    const { preview } = await previewSchedule(ctx, { caption: "Hello", scheduledAt: at + WINDOW, accountIds: [x] });
    expect(preview.targets[0]?.warnings).toEqual([
      {
        code: "duplicate_text",
        message: `this account has the same text in post ${post.id} at ${toIsoInstant(at)}, and X refuses the same text for 10 minutes: change one of the texts, or leave more than 10 minutes between the posts`,
        parts: expect.arrayContaining([{ instant: at }]),
      },
    ]);
    for (const [distance, warnings] of [
      [0, 1],
      [-WINDOW, 1],
      [WINDOW + SECOND, 0],
      [-WINDOW - SECOND, 0],
    ] as const) {
      const found = await warningsOf(ctx, { scheduledAt: at + distance, accountIds: [x] });
      expect(found, String(distance)).toEqual(Array(warnings).fill("duplicate_text"));
    }
  });

  test("not of another text, another account, another user or a platform that accepts duplicates", async () => {
    const [ctx, otherUser] = [createDuplicateContext(), createDuplicateContext()];
    const [x, otherX] = [await createAccount(ctx), await createAccount(ctx)];
    const instagram = await createAccount(ctx, "instagram");
    const at = oneHourAhead(ctx);
    await schedulePost(ctx, { accountIds: [x, instagram], scheduledAt: at });
    expect(await warningsOf(ctx, { caption: "Hullo", scheduledAt: at, accountIds: [x] })).toEqual([]);
    expect(await warningsOf(ctx, { scheduledAt: at, accountIds: [otherX, instagram] })).toEqual([]);
    const others = await createAccount(otherUser);
    expect(await warningsOf(otherUser, { scheduledAt: at, accountIds: [others] })).toEqual([]);
  });

  test("by the text that each account gets, without differences in white space", async () => {
    const ctx = createDuplicateContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const at = oneHourAhead(ctx);
    await schedulePost(ctx, {
      caption: "Everywhere",
      scheduledAt: at,
      targets: [{ accountId: x, caption: "Own\n text" }, { accountId: y }],
    });
    const { preview } = await previewSchedule(ctx, {
      caption: "Everywhere",
      scheduledAt: at,
      targets: [{ accountId: x }, { accountId: y, platformOptions: { caption: "Own text" } }],
    });
    expect(preview.targets.map(({ warnings }) => warnings)).toEqual([[], []]);
    const same = [{ accountId: x, platformOptions: { caption: " Own text" } }, { accountId: y }];
    expect(await warningsOf(ctx, { caption: "Everywhere", scheduledAt: at, targets: same })).toEqual([
      "duplicate_text",
      "duplicate_text",
    ]);
  });

  test("by both ends of a long text", async () => {
    const ctx = createDuplicateContext(5000);
    const x = await createAccount(ctx);
    const at = oneHourAhead(ctx);
    const caption = `${"😀 a".repeat(400)} day 1`;
    await schedulePost(ctx, { caption, accountIds: [x], scheduledAt: at });
    expect(await warningsOf(ctx, { caption, scheduledAt: at, accountIds: [x] })).toEqual(["duplicate_text"]);
    const other = caption.replace(/1$/, "2");
    expect(await warningsOf(ctx, { caption: other, scheduledAt: at, accountIds: [x] })).toEqual([]);
  });

  test("not of posts without text", async () => {
    const ctx = createDuplicateContext();
    const x = await createAccount(ctx);
    const at = oneHourAhead(ctx);
    const { url } = await createMedia(ctx);
    const input = { mediaUrls: [url], scheduledAt: at, targets: [{ accountId: x, caption: "" }] };
    await schedulePost(ctx, input);
    expect(await warningsOf(ctx, input)).toEqual([]);
  });

  test("not of cancelled, paused and failed posts, but of one that is published already", async () => {
    const ctx = createDuplicateContext();
    const x = await createAccount(ctx);
    const at = oneHourAhead(ctx);
    const again = { scheduledAt: at + MINUTE, accountIds: [x] };
    const cancelled = await schedulePost(ctx, { accountIds: [x], scheduledAt: at });
    await cancelPost(ctx, { id: cancelled.id });
    expect(await warningsOf(ctx, again)).toEqual([]);
    const post = await schedulePost(ctx, { accountIds: [x], scheduledAt: at });
    await updatePostRow(post.id, { status: "paused" });
    expect(await warningsOf(ctx, again)).toEqual([]);
    await updatePostRow(post.id, { status: "failed" });
    await updateTargetRow(post.id, x, { state: "failed" });
    expect(await warningsOf(ctx, again)).toEqual([]);
    await updatePostRow(post.id, { status: "published" });
    await updateTargetRow(post.id, x, { state: "published", published_at: at + 5 * MINUTE });
    expect(await warningsOf(ctx, again)).toEqual(["duplicate_text"]);
    // The window starts when the post was published, not when it was due.
    expect(await warningsOf(ctx, { ...again, scheduledAt: at + 15 * MINUTE })).toEqual(["duplicate_text"]);
    expect(await warningsOf(ctx, { ...again, scheduledAt: at + 15 * MINUTE + SECOND })).toEqual([]);
  });
});

describe("a preview of an edit warns", () => {
  test("of each of twenty posts that get the same text, as far as they are in one window with another", async () => {
    const ctx = createDuplicateContext();
    const x = await createAccount(ctx);
    const posts = [];
    for (let index = 0; index < 20; index++) {
      // The last post is alone in its window.
      const scheduledAt = oneHourAhead(ctx) + index * WINDOW + (index === 19 ? SECOND : 0);
      posts.push(await schedulePost(ctx, { caption: `Post ${index}`, accountIds: [x], scheduledAt }));
    }
    const postIds = posts.map(({ id }) => id);
    ctx.counting.reset();
    const { preview, confirmationToken } = await previewEdit(ctx, { postIds, caption: "The same" });
    expect(ctx.counting.count.roundTrips).toBe(1);
    const found = preview.posts.map(({ after }) => after.targets.flatMap(({ warnings }) => warnings));
    expect(found.map(([warning]) => warning?.code)).toEqual([...Array(19).fill("duplicate_text"), undefined]);
    expect(found[0]).toEqual([expect.objectContaining({ message: expect.stringContaining(`post ${postIds[1]} at`) })]);
    // It is a warning: the edit can be confirmed.
    expect((await confirmEdit(ctx, { confirmationToken })).posts).toHaveLength(20);
  });

  test("of another post, and not of the old versions of the edited ones", async () => {
    const ctx = createDuplicateContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const at = oneHourAhead(ctx);
    const first = await schedulePost(ctx, { caption: "First", accountIds: [x], scheduledAt: at });
    const second = await schedulePost(ctx, { caption: "Second", accountIds: [x], scheduledAt: at });
    const third = await schedulePost(ctx, { caption: "First", accountIds: [y], scheduledAt: at });
    const edit = { postIds: [second.id], caption: "First" };
    expect(await editWarnings(ctx, edit)).toMatchObject([[{ message: expect.stringContaining(first.id) }]]);
    expect(await editWarnings(ctx, { ...edit, shiftMinutes: 11 })).toEqual([[]]);
    expect(await editWarnings(ctx, { postIds: [first.id], shiftMinutes: 1 })).toEqual([[]]);
    expect(await editWarnings(ctx, { postIds: [third.id], accountIds: [x] })).toMatchObject([
      [{ message: expect.stringContaining(first.id) }],
    ]);
    // Both move on, and the first gets a new text.
    const both = { postIds: [first.id, second.id], caption: "New", shiftMinutes: 1 };
    expect(await editWarnings(ctx, both)).toMatchObject([
      [{ message: expect.stringContaining(second.id) }],
      [{ message: expect.stringContaining(first.id) }],
    ]);
  });

  test("of what an edited post has sent already", async () => {
    const ctx = createDuplicateContext();
    const [x, y] = [await createAccount(ctx), await createAccount(ctx)];
    const at = oneHourAhead(ctx);
    const failed = await schedulePost(ctx, { accountIds: [x, y], scheduledAt: at });
    await updatePostRow(failed.id, { status: "partially_failed" });
    await updateTargetRow(failed.id, x, { state: "published", published_at: at });
    await updateTargetRow(failed.id, y, { state: "failed" });
    const open = await schedulePost(ctx, { caption: "Other", accountIds: [x], scheduledAt: at });
    const input = { postIds: [failed.id, open.id], caption: "Hello", scheduledAt: at + MINUTE };
    expect(await editWarnings(ctx, input)).toMatchObject([[], [{ message: expect.stringContaining(failed.id) }]]);
  });
});

describe("a platform that compares a text with the post right before it", () => {
  const createNeighbourContext = () =>
    createTestContext({
      adapters: { facebook: scriptedAdapter("facebook", { duplicateText: { windowSeconds: null, note: "refused" } }) },
    });
  const createPage = (ctx: TestContext) => createAccount(ctx, "facebook");

  test("warns of a neighbour with the same text, however far away, and of no other", async () => {
    const ctx = createNeighbourContext();
    const page = await createPage(ctx);
    const at = oneHourAhead(ctx);
    const preview = (scheduledAt: number, caption = "Hello") =>
      warningsOf(ctx, { caption, scheduledAt, accountIds: [page] });
    const first = await schedulePost(ctx, { accountIds: [page], scheduledAt: at });
    expect(await preview(at + 60 * 24 * HOUR)).toEqual(["duplicate_text"]);
    expect(await preview(at - MINUTE)).toEqual(["duplicate_text"]);
    expect(await preview(at)).toEqual(["duplicate_text"]);
    const { preview: shown } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: at + HOUR,
      accountIds: [page],
    });
    expect(shown.targets[0]?.warnings[0]?.message).toBe(
      `this account has the same text in post ${first.id} at ${toIsoInstant(at)}, and refused: change one of the texts, or publish another post between them`,
    );
    await schedulePost(ctx, { caption: "Between", accountIds: [page], scheduledAt: at + HOUR });
    expect(await preview(at + 2 * HOUR)).toEqual([]);
    expect(await preview(at + 30 * MINUTE)).toEqual(["duplicate_text"]);
    expect(await preview(at + 2 * HOUR, "Between")).toEqual(["duplicate_text"]);
    const other = await createPage(ctx);
    expect(await warningsOf(ctx, { scheduledAt: at + HOUR, accountIds: [other] })).toEqual([]);
  });

  test("warns within one edit, and of what stands between its posts", async () => {
    const ctx = createNeighbourContext();
    const page = await createPage(ctx);
    const at = oneHourAhead(ctx);
    const posts = [];
    for (const [index, day] of [0, 30, 60].entries()) {
      const post = { caption: `Post ${index}`, accountIds: [page], scheduledAt: at + day * 24 * HOUR };
      posts.push(await schedulePost(ctx, post));
    }
    await schedulePost(ctx, { caption: "Between", accountIds: [page], scheduledAt: at + 45 * 24 * HOUR });
    const edit = await editWarnings(ctx, { postIds: posts.map(({ id }) => id), caption: "The same" });
    expect(edit.map((warnings) => warnings.map(({ code }) => code))).toEqual([
      ["duplicate_text"],
      ["duplicate_text"],
      [],
    ]);
  });

  test("warns within one bulk, and of stored posts around and between its posts", async () => {
    const ctx = createNeighbourContext();
    const page = await createPage(ctx);
    const at = oneHourAhead(ctx) + 100 * 24 * HOUR;
    await schedulePost(ctx, { caption: "Same", accountIds: [page], scheduledAt: at - 90 * 24 * HOUR });
    await schedulePost(ctx, { caption: "Between", accountIds: [page], scheduledAt: at + 45 * 24 * HOUR });
    const rows = [
      [0, "Same"],
      [30, "Same"],
      [60, "Same"],
      [61, "Other"],
    ] as const;
    expect(await bulkWarnings(ctx, page, at, rows)).toEqual([["duplicate_text"], ["duplicate_text"], [], []]);
  });

  test("sees a later row of a bulk that stands between a row and its neighbour, unless it is left out", async () => {
    const ctx = createNeighbourContext();
    const page = await createPage(ctx);
    const at = oneHourAhead(ctx);
    const rows = (between: string) =>
      [
        [0, "Same"],
        [60, "Same"],
        [30, between],
      ] as const;
    expect(await bulkWarnings(ctx, page, at, rows("Between"))).toEqual([[], [], []]);
    const tooLong = "x".repeat(200);
    expect(await bulkWarnings(ctx, page, at, rows(tooLong))).toEqual([[], ["duplicate_text"], undefined]);
    // One of two equal texts is warned of: the one whose row comes later.
    const same = [
      [30, "Same"],
      [0, "Same"],
    ] as const;
    expect(await bulkWarnings(ctx, page, at, same)).toEqual([[], ["duplicate_text"]]);
  });
});

/** The warnings of each row of a bulk, which is posted on these days; undefined for a row that is left out. */
async function bulkWarnings(
  ctx: TestContext,
  page: string,
  from: number,
  rows: readonly (readonly [day: number, caption: string])[],
) {
  const { preview } = await previewBulk(ctx, {
    posts: rows.map(([day, caption], index) => ({
      row: index + 1,
      input: { caption, scheduledAt: from + day * 24 * HOUR, accountIds: [page] },
      problems: [],
    })),
    skipInvalid: true,
  });
  return preview.posts.map((row) => row.preview?.targets.flatMap(({ warnings }) => warnings.map(({ code }) => code)));
}

describe("the windows of the platforms", () => {
  test("are those of X and LinkedIn, with the neighbours at Facebook, and GET /platforms lists them", async () => {
    const windows = PLATFORMS.flatMap((platform) => {
      const duplicateText = adapterFor(platform)?.limits.duplicateText;
      const { windowSeconds = null } = duplicateText ?? {};
      return duplicateText ? [[platform, windowSeconds === null ? null : windowSeconds * SECOND]] : [];
    });
    expect(Object.fromEntries(windows)).toEqual({ x: 12 * HOUR, linkedin: 10 * MINUTE, facebook: null });
    const caller = await createCaller();
    const { body } = await callApi(caller, { method: "GET", path: "/platforms" });
    expect(body.platforms).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          platform: "linkedin",
          duplicate_text: { window_seconds: 600, note: expect.stringContaining("10 minutes") },
        }),
        expect.objectContaining({
          platform: "facebook",
          duplicate_text: { window_seconds: null, note: expect.stringContaining("newest post") },
        }),
        expect.objectContaining({ platform: "threads", duplicate_text: null }),
      ]),
    );
  });
});
