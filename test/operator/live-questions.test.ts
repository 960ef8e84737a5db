import { describe, test } from "vitest";
import { PLATFORMS } from "#core/platform.ts";
import type { LiveAnswer } from "#platforms/contract.ts";
import { OPERATOR_CHECKS } from "#platforms/operator-registry.ts";
import liveCalls from "../../docs/platforms/live-calls.md?raw";
import { changeSettings, fetchApp, injectFault, publishedPosts } from "../sandbox/sandbox-api.ts";
import { connectAccounts } from "../support/api-workflows.ts";
import { type ApiCaller, createCaller } from "../support/create-caller.ts";
import { OPERATOR_KEY } from "./operator-context.ts";

/** The id of the test user at X. */
const ADA = "2244994945";

const owner = await createCaller();
const stranger = await createCaller();

type Result =
  | { readonly state: "answered"; readonly answer: LiveAnswer }
  | { readonly state: "refused"; readonly message: string };

async function settle(
  platform: (typeof PLATFORMS)[number],
  question: string,
  caller: Pick<ApiCaller, "key"> | null = owner,
) {
  const [account] = await connectAccounts(owner, platform);
  const response = await fetchApp(`/operator/live-questions/${question}/accounts/${account?.id}`, {
    method: "POST",
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, ...(caller && { "almanac-account-key": caller.key }) },
  });
  return await response.json<Result>();
}

async function answerTo(platform: (typeof PLATFORMS)[number], question: string): Promise<LiveAnswer> {
  const result = await settle(platform, question);
  if (result.state === "refused") {
    throw new Error(result.message);
  }
  return result.answer;
}

describe("an open question", () => {
  test("is one of the list, and says before what it writes", async ({ expect }) => {
    for (const platform of PLATFORMS) {
      for (const { question } of OPERATOR_CHECKS[platform].liveQuestions ?? []) {
        expect(liveCalls).toContain(`| ${question} |`);
      }
    }
    const response = await fetchApp("/operator/live-questions/linkedin", {
      headers: { authorization: `Bearer ${OPERATOR_KEY}` },
    });
    expect(await response.json()).toMatchObject({ questions: [{ id: "escapes", writes: /deleted at once/ }] });
  });

  test("of the names of fields is settled by reading", async ({ expect }) => {
    const { conclusion, evidence, leftBehind } = await answerTo("x", "field-names");
    expect(conclusion).toMatch(/^Accepted: /);
    expect([evidence.length, leftBehind]).toEqual([2, []]);
  });

  test.for(["instagram", "threads"] as const)(
    "of the proof is settled by reading at %s",
    async (platform, { expect }) => {
      const { conclusion, evidence } = await answerTo(platform, "appsecret-proof");
      expect(conclusion).toBe("It is checked: it must be sent");
      expect(evidence[0]).toBe("GET /me with the right proof: HTTP 200");
    },
  );

  test("of chunks begins an upload and posts nothing", async ({ expect }) => {
    expect((await answerTo("tiktok", "small-videos-in-chunks")).conclusion).toMatch(/^They are not/);
    await changeSettings("tiktok", { small_videos_in_chunks: true });
    expect((await answerTo("tiktok", "small-videos-in-chunks")).conclusion).toMatch(/^They are: /);
    expect(await publishedPosts("tiktok")).toEqual([]);
  });

  test("of escapes removes its post, and names it where it cannot", async ({ expect }) => {
    expect((await answerTo("linkedin", "escapes")).conclusion).toMatch(/^They count/);
    const accepted = {
      match: { method: "POST", path: "/rest/posts" },
      effect: "answer",
      status: 201,
      headers: { "x-restli-id": "urn:li:share:1" },
    };
    await injectFault("linkedin", accepted);
    expect(await answerTo("linkedin", "escapes")).toMatchObject({
      conclusion: expect.stringMatching(/LINKEDIN_CAPTION_COUNT=visible/),
      leftBehind: [],
    });
    await injectFault("linkedin", accepted);
    await injectFault("linkedin", { match: { method: "DELETE", path: "/rest/posts" }, effect: "answer", status: 500 });
    const { leftBehind } = await answerTo("linkedin", "escapes");
    expect(leftBehind).toEqual(["https://www.linkedin.com/feed/update/urn:li:share:1/"]);
    expect(await publishedPosts("linkedin")).toEqual([]);
  });

  test("is asked with nobody else's account", async ({ expect }) => {
    expect(await settle("x", "field-names", stranger)).toMatchObject({
      state: "refused",
      message: /not one of the user/,
    });
    expect(await settle("x", "field-names", null)).toMatchObject({ state: "refused", message: /posts:write/ });
    expect(await settle("x", "appsecret-proof")).toMatchObject({ state: "refused", message: /no such question/ });
  });

  test("shows neither tokens nor ids of people", async ({ expect }) => {
    const echo = { title: "no", detail: `about ${ADA} Bearer ${"a1B2".repeat(16)}` };
    await injectFault("x", {
      match: { path: "/2/users/*/tweets" },
      effect: "answer",
      status: 400,
      body: echo,
      times: 2,
    });
    const text = JSON.stringify(await answerTo("x", "field-names"));
    expect(text).toContain("HTTP 400");
    expect([ADA, "a1B2a1B2"].filter((hidden) => text.includes(hidden))).toEqual([]);
  });
});
