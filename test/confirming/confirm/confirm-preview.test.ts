import { beforeEach, describe, expect, test } from "vitest";
import { confirmPreview, previewEdit, previewSchedule } from "#confirming/index.ts";
import {
  createAccount,
  createTestContext,
  freezeClock,
  oneHourAhead,
  refusalOf,
  schedulePost,
} from "../../posts/test-context.ts";

beforeEach(() => freezeClock());

describe("confirmPreview", () => {
  test("schedules the post of a token from a schedule's preview", async () => {
    const ctx = createTestContext();
    const x = await createAccount(ctx);
    const { preview, confirmationToken } = await previewSchedule(ctx, {
      caption: "Hello",
      scheduledAt: oneHourAhead(ctx),
      accountIds: [x],
    });
    expect(await confirmPreview(ctx, { confirmationToken })).toMatchObject({
      kind: "schedule",
      planHash: preview.planHash,
      posts: [{ status: "scheduled", caption: "Hello" }],
    });
  });

  test("edits the posts of a token from an edit's preview", async () => {
    const ctx = createTestContext();
    const post = await schedulePost(ctx, { accountIds: [await createAccount(ctx)] });
    const { confirmationToken } = await previewEdit(ctx, { postIds: [post.id], caption: "Changed" });
    const confirmed = await confirmPreview(ctx, { confirmationToken });
    expect(confirmed).toMatchObject({ kind: "edit", posts: [{ id: post.id, version: 2, caption: "Changed" }] });
    expect(confirmed).not.toHaveProperty("planHash");
    expect(await refusalOf(confirmPreview(ctx, { confirmationToken }))).toMatchObject({
      code: "token_already_used",
      postIds: [post.id],
    });
  });
});
