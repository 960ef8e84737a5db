import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DAY, MINUTE } from "#core/clock.ts";
import { setFailpointHook } from "#core/failpoint.ts";
import { movePostTotals } from "#posts/summary/store-move-post-totals.ts";
import { confirmSchedule, previewSchedule } from "#confirming/index.ts";
import { PublisherHarness, silenceLogs, type TestPlatform } from "./publisher-harness.ts";

beforeEach(silenceLogs);
afterEach(() => setFailpointHook(undefined));

/** The rows that D1 says it wrote for one text post, step by step. */
async function rowsWritten(
  on: readonly TestPlatform[],
  inMs: number,
): Promise<{ preview: number; confirm: number; claim: number; end: number }> {
  const harness = await PublisherHarness.open();
  // The harness lives in the future of the workspace's totals, which have a row to write for days that are far ahead.
  await movePostTotals(harness.ctx.db, harness.now, 1000);
  const { d1Usage } = harness;
  let before = d1Usage.rowsWritten;
  const sinceLast = () => {
    const since = d1Usage.rowsWritten - before;
    before = d1Usage.rowsWritten;
    return since;
  };
  const { confirmationToken } = await previewSchedule(harness.ctx, {
    caption: "hello",
    scheduledAt: harness.now + inMs,
    accountIds: on.map((platform) => harness.accounts[platform]),
  });
  const preview = sinceLast();
  const { posts } = await confirmSchedule(harness.ctx, { confirmationToken });
  await harness.flushDeferred();
  const confirm = sinceLast();
  let claim = 0;
  setFailpointHook((point) => {
    if (point === "claim.after_send") {
      claim = sinceLast();
    }
  });
  const id = posts[0]!.id;
  await harness.runAlarms(id);
  expect(await harness.readPost(id)).toMatchObject({ status: "published" });
  return { preview, confirm, claim, end: sinceLast() };
}

/*
 * confirm: the post with its indexes by id, by status and by `watch_at`, the day, and two for each target.
 * claim: the post and its index by status. end: the same, the day and one for each target.
 */
describe("rows written for a text post", () => {
  test.each([
    ["due within a minute", MINUTE],
    ["due later, and armed after the response", 60 * MINUTE],
  ])("with one target, %s: 13 after its preview", async (_, inMs) => {
    expect(await rowsWritten(["x"], inMs)).toEqual({ preview: 1, confirm: 7, claim: 2, end: 4 });
  });

  test("one row more at its confirm when it is due in more than 61 days, for the total of what is far ahead", async () => {
    const harness = await PublisherHarness.open();
    await movePostTotals(harness.ctx.db, harness.now, 1000);
    const confirmDueIn = async (inMs: number) => {
      const before = harness.d1Usage.rowsWritten;
      await harness.createPost({ inMs });
      return harness.d1Usage.rowsWritten - before;
    };
    expect(await confirmDueIn(60 * DAY)).toBe(8);
    expect(await confirmDueIn(62 * DAY)).toBe(9);
  });

  test("with two targets: 16 after its preview", async () => {
    expect(await rowsWritten(["x", "linkedin"], 60 * MINUTE)).toEqual({ preview: 1, confirm: 9, claim: 2, end: 5 });
  });
});
