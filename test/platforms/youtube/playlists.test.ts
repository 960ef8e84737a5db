import { describe, test, vi } from "vitest";
import { FORCE_SSL_SCOPE } from "#platforms/youtube/limits.ts";
import { youtube } from "#platforms/youtube/index.ts";
import { accountAccess, job, NOW, validationInput, video } from "../../support/adapter-inputs.ts";
import { logIn, publishUntilSettled, sampleMedia, simulatedClient } from "../../support/drive-simulator.ts";
import { LOST_ANSWERS, loseAnswer, useQuotaFreeClock } from "../../support/lost-answers.ts";
import { scriptedClient, type ScriptedResponse } from "../../support/scripted-http-client.ts";
import { apiError, extrasProgress, toJson } from "./fixture.ts";

/* The playlists that a video is added to once it is public, each by a call of its own. */

const PATH = "/youtube/v3/playlistItems";
const PLAYLIST = "PLada0000000000000000000";

describe("against the simulator", () => {
  useQuotaFreeClock("2036-03-01T09:00:00Z");

  const publish = async (caption: string, playlists: readonly string[]) => {
    const account = (await logIn(youtube, "ada", { EXTRA_SCOPES: FORCE_SSL_SCOPE })).accounts[0]!;
    const media = [await sampleMedia("portrait.mp4", { width: 540, height: 960, durationSeconds: 3 })];
    const options = { title: "Glaze", playlist_ids: [...playlists], first_comment: "Thanks" };
    const result = await publishUntilSettled(youtube, account, { caption, media, options });
    vi.setSystemTime(Date.now() + 600_000);
    const id = "remoteId" in result ? result.remoteId : "";
    const counts = await Promise.all(
      playlists.map(async (playlist) => {
        const { status, text } = await simulatedClient(youtube).fetch(
          `https://www.googleapis.com${PATH}?part=id&playlistId=${playlist}&videoId=${id}`,
          { headers: { authorization: `Bearer ${account.accessToken}` } },
        );
        return status === 200 ? (JSON.parse(text ?? "") as { items: readonly object[] }).items.length : null;
      }),
    );
    return { result, counts };
  };

  test.for(LOST_ANSWERS)("each has the video once after %s, and the comment follows", async (effect, { expect }) => {
    await loseAnswer(youtube, PATH, effect);
    const { result, counts } = await publish(`Playlists, ${effect}`, [
      `${PLAYLIST}_1`,
      `${PLAYLIST}_2`,
      `${PLAYLIST}_3`,
    ]);
    expect(counts).toEqual([1, 1, 1]);
    expect(result, result.steps.join(" ")).toMatchObject({
      state: "published",
      extras: {
        playlists: { status: "published", id: null, fault: null },
        first_comment: { status: "published" },
      },
    });
  });

  test("one that is not there is told, and the others are filled", async ({ expect }) => {
    const { result, counts } = await publish("One unknown", [`${PLAYLIST}_1`, `${PLAYLIST}_9`, `${PLAYLIST}_2`]);
    expect(counts).toEqual([1, null, 1]);
    expect(result).toMatchObject({
      state: "published",
      extras: {
        playlists: {
          status: "failed",
          fault: { code: "not_found", message: expect.stringContaining(`${PLAYLIST}_9`) },
        },
        first_comment: { status: "published" },
      },
    });
  });
});

describe("the calls", () => {
  const added = job({
    options: { title: "Glaze", playlist_ids: ["PLfirst00000", "PLsecond0000"] },
    account: accountAccess({ platformAccountId: "UCa", capabilities: {} }),
    media: [video({})],
    lastCommittedAt: NOW - 90_000,
    progress: extrasProgress(["playlists"], { index: 1 }),
  });
  const REF = toJson({ extras: true, missingSince: null });

  test("the second of two names its playlist and the video", async ({ expect }) => {
    const client = scriptedClient({ json: { id: "item" } });
    expect(await youtube.commit(client, added, REF)).toMatchObject({
      state: "published",
      extras: { playlists: { status: "published" } },
    });
    expect(client.requests[0]?.body).toBe(
      JSON.stringify({
        snippet: { playlistId: "PLsecond0000", resourceId: { kind: "youtube#video", videoId: "dQw4example" } },
      }),
    );
  });

  test("a video that is there already is what was asked for", async ({ expect }) => {
    expect(await youtube.commit(scriptedClient(apiError(409, "videoAlreadyInPlaylist")), added, REF)).toMatchObject({
      extras: { playlists: { status: "published" } },
    });
  });

  test("is called again only after two whole lists that lack the video", async ({ expect }) => {
    const verify = (answer: ScriptedResponse, missingSince: number | null = null) =>
      youtube.verify(scriptedClient(answer), added, toJson({ extras: true, missingSince }));
    expect(await verify({ json: { items: [{ id: "item" }] } })).toMatchObject({ state: "published" });
    expect(await verify({ json: { items: [] } })).toMatchObject({ state: "again", afterSeconds: 60 });
    expect(await verify({ json: { items: [] } }, NOW - 60_000)).toMatchObject({ state: "more" });
    expect(await verify(apiError(503, "backendError"), NOW - 60_000)).toMatchObject({ state: "again" });
    expect(await verify(apiError(404, "playlistNotFound"), NOW - 60_000)).toMatchObject({
      extras: { playlists: { status: "unconfirmed" } },
    });
  });
});

test("five at most, none twice", ({ expect }) => {
  const validate = (ids: readonly string[]) =>
    youtube.validate(validationInput({ options: { title: "Glaze", playlist_ids: [...ids] }, media: [video({})] }))
      .problems;
  const five = Array.from({ length: 5 }, (_, index) => `PL00000000${index}`);
  expect(validate(five)).toEqual([]);
  expect(validate([...five, "PL000000009"])).toMatchObject([{ code: "option_invalid", limit: 5 }]);
  expect(validate(["PL000000001", "PL000000001"])).toMatchObject([{ code: "option_invalid" }]);
  expect(validate(["?list=PL"])).toMatchObject([{ code: "option_invalid" }]);
});
