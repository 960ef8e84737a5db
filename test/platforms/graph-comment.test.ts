import { describe, test, vi } from "vitest";
import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, JobMedia } from "#platforms/contract.ts";
import { facebook } from "#platforms/facebook/index.ts";
import { instagram } from "#platforms/instagram/index.ts";
import { accountAccess, job, NOW } from "../support/adapter-inputs.ts";
import { logIn, publishUntilSettled, sampleMedia, simulatedClient } from "../support/drive-simulator.ts";
import { graphRefusal } from "../support/platform-sample.ts";
import { LOST_ANSWERS, loseAnswer, useQuotaFreeClock } from "../support/lost-answers.ts";
import { scriptedClient, type ScriptedResponse } from "../support/scripted-http-client.ts";

/* First comments at Meta's platforms: sent once the post is public, and again only when two whole lists lack them. */

const image = async () => [await sampleMedia("portrait.jpg", { width: 1080, height: 1350 })];
const video = async () => [await sampleMedia("portrait.mp4", { width: 540, height: 960, durationSeconds: 3 })];

interface Kind {
  readonly title: string;
  readonly adapter: typeof instagram | typeof facebook;
  readonly settings: Record<string, string>;
  /** Whose simulator answers. */
  readonly simulator: typeof instagram | typeof facebook;
  readonly media: () => Promise<readonly JobMedia[]>;
  readonly options?: JsonObject;
  /** The edge that takes the comment. */
  readonly path?: string;
}

/** A video refuses comments, and the post that shows it takes them. */
const POST_OF_VIDEO = "/*_*/comments";

const DIRECT = { EXTRA_SCOPES: "instagram_business_manage_comments" };
const PAGE = { LOGIN_VARIANT: "facebook", EXTRA_SCOPES: "instagram_manage_comments" };
const ENGAGEMENT = { EXTRA_SCOPES: "pages_manage_engagement" };

const KINDS: readonly Kind[] = [
  { title: "an image at Instagram", adapter: instagram, settings: DIRECT, simulator: instagram, media: image },
  {
    title: "a reel at Instagram, through a Page",
    adapter: instagram,
    settings: PAGE,
    simulator: facebook,
    media: video,
  },
  { title: "a text at Facebook", adapter: facebook, settings: ENGAGEMENT, simulator: facebook, media: async () => [] },
  { title: "an image at Facebook", adapter: facebook, settings: ENGAGEMENT, simulator: facebook, media: image },
  {
    title: "a reel at Facebook",
    adapter: facebook,
    settings: ENGAGEMENT,
    simulator: facebook,
    media: video,
    path: POST_OF_VIDEO,
  },
  {
    title: "a video at Facebook",
    adapter: facebook,
    settings: ENGAGEMENT,
    simulator: facebook,
    media: video,
    options: { placement: "timeline" },
    path: POST_OF_VIDEO,
  },
];

describe.each(KINDS)("below $title", ({ title, adapter, settings, simulator, media, options, path }) => {
  useQuotaFreeClock("2035-03-01T09:00:00Z");

  const publish = async (account: AccountAccess, text: string) => {
    const post = { caption: `${title}, ${text}`, media: await media(), options: { ...options, first_comment: text } };
    const result = await publishUntilSettled(adapter, account, post);
    vi.setSystemTime(Date.now() + 600_000);
    const id = "remoteId" in result ? result.remoteId : "";
    const listed = await adapter.verify(
      simulatedClient(adapter),
      {
        ...job({ account, options: { first_comment: text }, lastCommittedAt: Date.now() - 60_000 }),
        now: Date.now(),
        progress: {
          extras: {
            post: { id, url: null, at: 0 },
            open: ["first_comment"],
            index: 0,
            tries: 0,
            looksFirst: false,
            results: {},
          },
        },
      },
      { extras: true, missingSince: null },
    );
    return { result, listed };
  };
  const ada = async () => (await logIn(adapter, "ada", settings)).accounts[0]!;

  test.for(LOST_ANSWERS)("is there once after %s", async (effect, { expect }) => {
    const account = await ada();
    await loseAnswer(simulator, path ?? "/*/comments", effect, {
      status: 500,
      body: { error: { code: 2, message: "retry" } },
    });
    const { result, listed } = await publish(account, `Thanks, ${effect}`);
    expect(result, result.steps.join(" ")).toMatchObject({
      state: "published",
      extras: { first_comment: { status: "published", id: expect.any(String), fault: null } },
    });
    expect(listed).toMatchObject({ state: "published", extras: { first_comment: { status: "published" } } });
    const sends = result.steps.filter((step) => step.startsWith("commit"));
    expect(sends).toHaveLength(effect === "drop_before" ? 3 : 2);
  });

  test("without its right it is a failed extra of a published post", async ({ expect }) => {
    const account = (await logIn(adapter, "ada", { ...settings, EXTRA_SCOPES: "" })).accounts[0]!;
    const { result } = await publish(account, "No right");
    expect(result).toMatchObject({
      state: "published",
      extras: { first_comment: { status: "failed", fault: { kind: "rejected", code: "missing_scope" } } },
    });
  });
});

describe.each([
  { name: "instagram", adapter: instagram, own: { username: "Ada" }, other: { username: "ben" }, text: "text" },
  { name: "facebook", adapter: facebook, own: { from: { id: "123" } }, other: { from: { id: "9" } }, text: "message" },
])("the look at $name", ({ adapter, own, other, text }) => {
  const commented = job({
    options: { first_comment: "Thanks" },
    account: accountAccess({ platformAccountId: "123", username: "ada", capabilities: {} }),
    lastCommittedAt: NOW - 90_000,
    progress: {
      extras: {
        post: { id: "1", url: null, at: NOW },
        open: ["first_comment"],
        index: 0,
        tries: 0,
        looksFirst: false,
        results: {},
      },
    },
  });
  const list = (...data: object[]): ScriptedResponse => ({ json: { data } });
  const verify = (answer: ScriptedResponse, missingSince: number | null = null) =>
    adapter.verify(scriptedClient(answer), commented, { extras: true, missingSince });

  test("finds its own text only, and one whose author is not told", async ({ expect }) => {
    const found = { state: "published", extras: { first_comment: { status: "published", id: "7" } } };
    expect(
      await verify(list({ id: "6", [text]: "Other", ...own }, { id: "7", [text]: "Thanks ", ...own })),
    ).toMatchObject(found);
    expect(await verify(list({ id: "7", [text]: "Thanks" }))).toMatchObject(found);
    expect(await verify(list({ id: "7", [text]: "Thanks", ...other }))).toMatchObject({
      state: "again",
      afterSeconds: 60,
    });
  });

  test("leads back to sending after two whole lists only", async ({ expect }) => {
    expect(await verify(list())).toMatchObject({ state: "again", ref: { missingSince: NOW } });
    expect(await verify(list(), NOW - 59_000)).toMatchObject({ state: "again", afterSeconds: 1 });
    expect(await verify(list(), NOW - 60_000)).toMatchObject({ state: "more", afterSeconds: 5 });
  });

  test("that is refused tells nothing, and nothing is sent again", async ({ expect }) => {
    expect(await verify(graphRefusal(200), NOW - 60_000)).toMatchObject({
      state: "published",
      extras: { first_comment: { status: "unconfirmed", fault: { code: "outcome_unknown" } } },
    });
    expect(await verify(graphRefusal(190), NOW - 60_000)).toMatchObject({ state: "refused" });
    expect(await verify(graphRefusal(2), NOW - 60_000)).toMatchObject({ state: "again" });
    const endless: ScriptedResponse = {
      json: { data: [], paging: { next: "https://graph.facebook.com/?after=x", cursors: { after: "x" } } },
    };
    expect(await verify(endless, NOW - 60_000)).toMatchObject({
      extras: { first_comment: { status: "unconfirmed" } },
    });
  });
});
