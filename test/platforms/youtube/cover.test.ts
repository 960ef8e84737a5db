import { describe, test } from "vitest";
import type { AccountAccess, Job, JobMedia } from "#platforms/contract.ts";
import { youtube } from "#platforms/youtube/index.ts";
import { accountAccess, image, job, NOW, validationInput, video } from "../../support/adapter-inputs.ts";
import {
  logIn,
  publishedPosts,
  publishUntilSettled,
  sampleMedia,
  simulatedClient,
} from "../../support/drive-simulator.ts";
import { LOST_ANSWERS, loseAnswer, useQuotaFreeClock } from "../../support/lost-answers.ts";
import { scriptedClient, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { apiError, commitRef, extrasProgress } from "./fixture.ts";

/* The cover of a video, which is set once the video is public. */

const PATH = "/upload/youtube/v3/thumbnails/set";

describe("against the simulator", () => {
  useQuotaFreeClock("2033-03-01T09:00:00Z");

  const publish = async (account: AccountAccess, caption: string) => {
    const picture = await sampleMedia("portrait.jpg", { width: 1080, height: 1350 });
    const shape = { width: 540, height: 960, durationSeconds: 3 };
    const media: JobMedia[] = [{ ...(await sampleMedia("portrait.mp4", shape)), cover: { image: picture } }];
    const result = await publishUntilSettled(youtube, account, { caption, media, options: { title: "Glaze" } });
    const posts = (await publishedPosts(youtube, account.platformAccountId)).filter(({ text }) => text === caption);
    const read = await simulatedClient(youtube).fetch(
      `https://www.googleapis.com/youtube/v3/videos?part=snippet&id=${posts[0]?.id ?? ""}`,
      { headers: { authorization: `Bearer ${account.accessToken}` } },
    );
    return { result, posts, sha256: picture.sha256, shown: read.text ?? "" };
  };
  const ada = async (login = "ada") => (await logIn(youtube, login)).accounts[0]!;

  test.for(LOST_ANSWERS)("is shown after %s, and the video is there once", async (effect, { expect }) => {
    await loseAnswer(youtube, PATH, effect);
    const account = await ada();
    const { result, posts, shown, sha256 } = await publish(account, `Covered, ${effect}`);
    expect(posts).toHaveLength(1);
    expect(shown).toContain(sha256);
    expect(result, result.steps.join(" ")).toMatchObject({
      state: "published",
      remoteId: posts[0]?.id,
      extras: { cover: { status: "published", fault: null } },
    });
  });

  test("that the channel may not set is a failed extra of a published post", async ({ expect }) => {
    const { result, posts } = await publish(await ada("ben"), "Not verified");
    expect(posts).toHaveLength(1);
    expect(result).toMatchObject({
      state: "published",
      extras: { cover: { status: "failed", fault: { code: "not_permitted", platformCode: "forbidden" } } },
    });
  });
});

describe("the calls", () => {
  const picture: JobMedia = {
    ...job({ media: [video({ sizeBytes: 3 })] }).media[0]!,
    type: "image",
    contentType: "image/jpeg",
    read: () => Promise.resolve(new Blob([new Uint8Array(3)]).stream()),
  };
  const coveredJob = (overrides: Partial<Job> = {}): Job =>
    job({
      options: { title: "Glaze", made_for_kids: false },
      account: accountAccess({ platformAccountId: "UCa", capabilities: {} }),
      ...overrides,
      media: [{ ...video({}), cover: { image: picture } }],
    });
  const received = commitRef({ sendCount: 1, sentAt: NOW, videoId: "dQw4example" });
  const processed: ScriptedResponse = {
    json: { items: [{ id: "dQw4example", status: { uploadStatus: "processed" } }] },
  };
  const atTry = (tries: number) => extrasProgress(["cover"], { tries });

  test("the video is remembered as public before the cover is sent", async ({ expect }) => {
    const outcome = await youtube.verify(scriptedClient(processed), coveredJob(), received);
    expect(outcome).toEqual({
      state: "more",
      ref: { extras: true, missingSince: null },
      afterSeconds: 0,
      progress: {
        extras: {
          post: { id: "dQw4example", url: "https://www.youtube.com/watch?v=dQw4example", at: NOW },
          open: ["cover"],
          index: 0,
          tries: 0,
          looksFirst: false,
          results: {},
        },
      },
    });
  });

  test("the picture is sent as it is, and the time is that of the video", async ({ expect }) => {
    const client = scriptedClient({ json: { kind: "youtube#thumbnailSetResponse", items: [] } });
    const outcome = await youtube.commit(client, coveredJob({ progress: atTry(0) }), null);
    expect(outcome).toMatchObject({
      state: "published",
      remoteId: "dQw4example",
      publishedAt: NOW - 5000,
      extras: { cover: { status: "published", id: null, url: null, fault: null } },
    });
    expect(client.requests.map(({ method, url }) => `${method} ${url.pathname}${url.search}`)).toEqual([
      `POST ${PATH}?videoId=dQw4example&uploadType=media`,
    ]);
  });

  test.for<[string, ScriptedResponse, object]>([
    ["the channel has uploaded too many", apiError(429, "uploadRateLimitExceeded"), { state: "more", afterSeconds: 5 }],
    ["a server error", apiError(503, "backendError"), { state: "more", afterSeconds: 5 }],
    [
      "an invalid picture",
      apiError(400, "invalidImage"),
      { state: "published", extras: { cover: { status: "failed" } } },
    ],
    ["a token that is refused", apiError(401, "authError"), { state: "refused", fault: { kind: "reconnect" } }],
  ])("%s", async ([, answer, outcome], { expect }) => {
    const job = coveredJob({ progress: atTry(0) });
    expect(await youtube.commit(scriptedClient(answer), job, null)).toMatchObject(outcome);
  });

  test("the fifth try is the last", async ({ expect }) => {
    const client = () => scriptedClient(apiError(503, "backendError"));
    expect(await youtube.commit(client(), coveredJob({ progress: atTry(3) }), null)).toMatchObject({
      state: "more",
      afterSeconds: 600,
    });
    expect(await youtube.commit(client(), coveredJob({ progress: atTry(4) }), null)).toMatchObject({
      state: "published",
      extras: { cover: { status: "failed", fault: { code: "platform_unavailable" } } },
    });
  });

  test("a try whose answer is lost is repeated without a look, and counted", async ({ expect }) => {
    expect(await youtube.verify(scriptedClient(), coveredJob({ progress: atTry(0) }), null)).toMatchObject({
      state: "more",
      progress: { extras: { tries: 1 } },
    });
    expect(await youtube.verify(scriptedClient(), coveredJob({ progress: atTry(4) }), null)).toMatchObject({
      state: "published",
      extras: { cover: { status: "unconfirmed" } },
    });
  });
});

test("a picture that YouTube does not take is a problem of the preview, a moment of the video a warning", ({
  expect,
}) => {
  const validate = (cover: object) =>
    youtube.validate(validationInput({ options: { title: "Glaze" }, media: [{ ...video({}), cover }] }));
  expect(validate({ image: image({}) })).toMatchObject({ problems: [], warnings: [] });
  expect(validate({ image: image({ contentType: "image/webp" }) }).problems).toMatchObject([{ code: "cover_invalid" }]);
  expect(validate({ atMs: 500 }).warnings).toMatchObject([{ code: "cover_ignored" }]);
});
