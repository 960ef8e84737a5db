import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { DAY, MINUTE } from "#core/clock.ts";
import type { RefusalDetail } from "#core/errors.ts";
import { previewBulk, previewEdit, previewSchedule, reviewApproval } from "#confirming/index.ts";
import { checkSchedule, type ScheduleInput } from "#planning/index.ts";
import { createParties, type Parties, requestPost } from "../../confirming/approvals/approval-context.ts";
import {
  createAccount,
  createMedia,
  freezeClock,
  oneHourAhead,
  refusalOf,
  schedulePost,
  type TestContext,
} from "../../posts/test-context.ts";
import { scriptedAdapter } from "../../support/scripted-adapter.ts";

beforeEach(() => freezeClock());

/** The platform of before gets stricter rules. */
function withStricterRules(ctx: TestContext): TestContext {
  const strict = scriptedAdapter("x", {
    captionMax: 3,
    dailyCaps: [{ count: 1, windowHours: 24, what: "posts" }],
    requiredOption: "title",
  });
  return { ...ctx, adapterFor: (platform) => (platform === "x" ? strict : ctx.adapterFor(platform)) };
}

/** A post that can be planned, one that waits for a person with the same content, and one that an edit can turn into it. */
async function plantCandidate(parties: Parties) {
  const { trusted } = parties;
  const [account, other] = [await createAccount(trusted, "x"), await createAccount(trusted, "instagram")];
  const image = await createMedia(trusted);
  const scheduledAt = oneHourAhead(trusted);
  const input: ScheduleInput = {
    caption: "Hello",
    scheduledAt,
    targets: [{ accountId: account }, { accountId: other }],
    mediaItems: [{ url: image.url, type: "image" }],
  };
  const requested = await requestPost(parties, { accountIds: undefined, ...input });
  const stored = await schedulePost(trusted, {
    targets: undefined,
    accountIds: [account],
    caption: "Old",
    scheduledAt: scheduledAt + 10 * DAY,
  });
  await schedulePost(trusted, {
    targets: undefined,
    accountIds: [account],
    caption: "Near",
    scheduledAt: scheduledAt - MINUTE,
  });
  return { input, requested, stored, other, image };
}

type Candidate = Awaited<ReturnType<typeof plantCandidate>>;

/** What each caller of the pipeline says of the same candidate. */
async function problemsOf(
  ctx: TestContext,
  person: TestContext,
  { input, requested, stored }: Candidate,
): Promise<Record<string, readonly RefusalDetail[] | undefined>> {
  const bulk = await refusalOf(previewBulk(ctx, { posts: [{ row: 1, input, problems: [] }], skipInvalid: false }));
  const { draft: _draft, ...changes } = input;
  return {
    preview: (await refusalOf(previewSchedule(ctx, input))).details,
    bulk: bulk.details?.map(({ row: _row, ...detail }) => detail),
    check: (await checkSchedule(ctx, input)).problems,
    edit: (await refusalOf(previewEdit(ctx, { postIds: [stored.id], ...changes }))).details,
    approval: (await reviewApproval({ ...person, adapterFor: (platform) => ctx.adapterFor(platform) }, requested))
      .problems,
  };
}

describe("a preview, a preview of many, a check, an edit and an approval", () => {
  test.for<[string, (ctx: TestContext, planted: Candidate) => Promise<TestContext>, readonly string[]]>([
    [
      "the rules of a platform",
      (ctx) => Promise.resolve(withStricterRules(ctx)),
      [
        "caption_too_long caption",
        "option_required targets[0].platform_options.title",
        "daily_cap_reached scheduled_at",
      ],
    ],
    [
      "a file and a login that are gone, and the rules",
      async (ctx, { other, image }) => {
        await env.DB.batch([
          env.DB.prepare("DELETE FROM media WHERE id = ?").bind(image.id),
          env.DB.prepare("UPDATE accounts SET status = 'needs_reconnect' WHERE id = ?").bind(other),
        ]);
        return withStricterRules(ctx);
      },
      [
        "media_not_found media_items[0].url",
        "account_needs_reconnect targets[1].account_id",
        "caption_too_long caption",
        "option_required targets[0].platform_options.title",
        "daily_cap_reached scheduled_at",
      ],
    ],
  ])("say the same of %s", async ([, change, expected]) => {
    const parties = await createParties();
    const planted = await plantCandidate(parties);
    const ctx = await change(parties.trusted, planted);
    const problems = await problemsOf(ctx, parties.person, planted);
    expect(problems["preview"]?.map(({ code, param }) => `${code} ${param}`)).toEqual(expected);
    for (const details of Object.values(problems)) {
      expect(details).toEqual(problems["preview"]);
    }
  });
});
